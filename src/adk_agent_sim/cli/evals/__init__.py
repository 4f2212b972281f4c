"""`adksim evals` and `adksim replay`."""
