"""Texts whose segments are marked in the text: wiki-727k, Choi, paragraphs, DISRPT."""
