"""The command `adksim`: a folder per feature. A command parses its arguments, calls a lower layer and prints."""
