"""Answers of language models: from a text with breaks, numbers or quotes to boundaries.

`stage` has the steps: tasks read the units and the answers (`inputs`), and write them by document
(`gathering`); other tasks read both for some documents, and place each answer (`placing`, which
reads it with `cleaning`, `breaks`, `numbers` or `forms`).
"""
