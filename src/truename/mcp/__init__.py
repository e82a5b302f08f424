"""MCP: tools for an assistant that must explain decisions and may not know whose they are."""
