"""Players that act in a world without a model: the oracle, one that does nothing, and one that calls at random."""
