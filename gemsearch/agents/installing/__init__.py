"""Puts gemsearch into agents' own configuration, and takes it out again.

Each agent is a few parts, one file each (`agents.py`). A part is a pair of pure functions from the
file's text to its text with our entries and without them; `files.py` alone reads and writes. Text
is edited at the place where something is added or removed, never parsed and written anew, so that
comments, order, indentation and line ends stay as the person left them.
"""
