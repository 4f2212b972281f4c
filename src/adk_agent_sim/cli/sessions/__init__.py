"""`adksim sessions` and `adksim export`: sessions of a database."""
