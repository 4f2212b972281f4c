"""`adksim serve`, `open`, `token` and `doctor`: servers, their tokens, and the machine they run on."""
