"""Demo agents, each a folder as `adk run` takes it. You play their model, so they need no network and no API key."""
