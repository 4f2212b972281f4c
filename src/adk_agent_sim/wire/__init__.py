"""google.genai values <-> the messages of `adksim.v1`, as far as the messages can hold them."""
