"""`adksim fork`."""
