"""Decisions only: no I/O, no clock, no SQL. Values in, values out."""
