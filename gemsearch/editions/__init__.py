"""Editions: read-only copies of the ledger that are fit for the public."""
