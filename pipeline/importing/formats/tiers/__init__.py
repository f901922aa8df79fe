"""Files with tiers: ELAN and Praat."""
