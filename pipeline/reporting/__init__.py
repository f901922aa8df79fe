"""`segscore report`: what a finished run found, as one HTML page that needs nothing else."""
