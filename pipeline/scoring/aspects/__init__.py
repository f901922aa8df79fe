"""What a scoring run does besides scoring pairs, one aspect a file or a few small ones."""
