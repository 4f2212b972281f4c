"""A workflow graph of functions and models that sorts and answers support tickets."""

from . import agent as agent
