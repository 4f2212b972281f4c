"""A timeline becomes a golden trace: an EvalSet that `adk eval` accepts."""
