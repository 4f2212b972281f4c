"""A writer and a critic who take turns until the critic is content."""

from . import agent as agent
