"""Grading: judging what many people answered, and the pages of those who grade."""
