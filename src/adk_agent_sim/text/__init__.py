"""Text from outside: how it is escaped before it is printed or logged, and matched against patterns of a file."""
