"""The results of a finished run as one self-contained HTML page: `segscore report`."""
