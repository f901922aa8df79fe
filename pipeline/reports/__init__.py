"""What a finished run found, as one HTML page that needs nothing else: `segscore report`."""
