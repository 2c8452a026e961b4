"""Looks after ledgers: doctor, backups, merging, forgetting, and files from strangers."""
