"""Where a web search is run: one file for each provider. `http.py` alone imports httpx."""
