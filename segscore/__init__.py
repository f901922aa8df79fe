"""Score text segmentations: exact, cited, at any size."""
