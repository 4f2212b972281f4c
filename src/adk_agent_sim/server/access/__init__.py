"""Who may use a server: tokens, the guard of every request, and where a server listens."""
