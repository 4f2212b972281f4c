"""How people and agents reach a timeline: the browser's API, and the pages it serves."""
