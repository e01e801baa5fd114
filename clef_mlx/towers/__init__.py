"""Encoders of what is not text; loaded when the first of its kind comes."""
