"""`adksim env`."""
