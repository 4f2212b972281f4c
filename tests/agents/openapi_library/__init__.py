"""An agent whose tools are the operations of a web service."""

from . import agent as agent
