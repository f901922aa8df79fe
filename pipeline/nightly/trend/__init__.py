"""`segscore trend`: which systems and groups changed over many nights, and which system is best."""
