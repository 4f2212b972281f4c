"""`adksim scenario`."""
