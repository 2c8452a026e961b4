"""What agents' tool calls look like: which are web searches, for what, and what came back.

Hooks see these calls live, history readers find them in logs; the shapes are the same. Pure, and
on the standard library alone, because hooks start with every tool call.
"""
