"""What tools answer instead of themselves: rules, how they match, what they do. Knows nothing of ADK."""
