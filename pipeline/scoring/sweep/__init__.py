"""Score hypotheses with boundary scores at every threshold: `segscore sweep`."""
