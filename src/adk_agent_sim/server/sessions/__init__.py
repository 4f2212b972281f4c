"""Sessions in the browser: lists, rows, live updates, and everything that a person does in one."""
