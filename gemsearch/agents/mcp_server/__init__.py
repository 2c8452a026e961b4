"""The ledger as an MCP server: the same answers as the command line, for agents without a shell.

`tools` says what each tool takes and gives, `calls` does it, `clients` knows who calls, `server`
speaks the protocol and is the only module that imports the SDK.
"""
