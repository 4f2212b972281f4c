"""The apps that a scenario's world is made of, one file an app."""
