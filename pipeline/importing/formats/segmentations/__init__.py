"""Files with one segmentation per row or line, as units and boundaries."""
