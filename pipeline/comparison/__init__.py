"""Which system is better: `segscore compare`, over the documents that runs share."""
