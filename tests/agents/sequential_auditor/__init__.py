"""An auditor that works in three steps, each of which reads what the one before has written."""

from . import agent as agent
