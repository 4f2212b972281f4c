"""The command `adksim`: one module per command. A command parses its arguments, calls a lower layer and prints."""
