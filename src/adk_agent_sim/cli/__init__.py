"""The command `adksim`: one file per command."""
