"""Measures the gates on labelled topics, result lists and pairs, or on a ledger's own labels."""
