"""What is known about hosts and parameters: one rule a line, each with why and two examples.

Every list here is our own. A name of a tracker is a fact from its vendor's documents; a site's
forms are facts from its own links and redirects.
"""
