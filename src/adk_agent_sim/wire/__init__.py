"""Converts google.genai values to `adksim.v1` messages and back, as far as the messages can represent them."""
