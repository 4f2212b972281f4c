"""The players of the model's seat: people, recordings, cassettes and functions."""
