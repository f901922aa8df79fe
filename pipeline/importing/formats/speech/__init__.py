"""Formats of speech research: RTTM, STM, CTM, SegLST, UEM."""
