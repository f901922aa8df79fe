"""Agreement between coders: coefficients over additive counts, the coders, prominence."""
