"""Made by `make protos`; nothing here is written by hand."""
