"""Demo agents, each a folder as `adk run` takes it. They need no network and no key: you play their model."""
