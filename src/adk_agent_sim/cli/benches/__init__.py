"""`adksim bench`."""
