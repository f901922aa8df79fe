"""Exports of annotation tools: Label Studio, doccano, Prodigy, JAMS."""
