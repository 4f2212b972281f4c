"""`adksim run` and `adksim demo`: sessions in the terminal and in the browser."""
