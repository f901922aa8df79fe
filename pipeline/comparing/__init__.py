"""Which system is better: finished runs put side by side on the documents they share."""
