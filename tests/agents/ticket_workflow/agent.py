"""A workflow: functions prepare, join and route the ticket, and models classify and answer it.

START -> clean_up -> (mood_reader, topic_reader) -> join -> choose_desk -+-> urgent_desk
                                                                         +-> normal_desk
"""

from __future__ import annotations

from typing import Any, Literal

from google.adk.agents import LlmAgent
from google.adk.events import Event, EventActions
from google.adk.workflow import DEFAULT_ROUTE, JoinNode, Workflow
from pydantic import BaseModel

_MODEL = "gemini-2.5-flash"


class Mood(BaseModel):
    """How the customer feels."""

    mood: Literal["calm", "angry"]


class Topic(BaseModel):
    """What the ticket is about."""

    topic: str


def clean_up(node_input: str) -> str:
    """Remove what does not belong to the ticket."""
    return " ".join(node_input.replace("Sent from my phone", "").split())


def choose_desk(node_input: dict[str, Any]) -> Event:
    """Choose who answers, from what both readers found."""
    mood, topic = node_input["mood_reader"]["mood"], node_input["topic_reader"]["topic"]
    return Event(
        output=f"A customer is {mood} about {topic}.",
        actions=EventActions(
            route="urgent" if mood == "angry" else "normal", state_delta={"mood": mood, "topic": topic}
        ),
    )


def open_incident(topic: str, priority: int) -> dict[str, Any]:
    """Open an incident."""
    return {"incident": "INC-5", "topic": topic, "priority": priority}


def call_engineer(incident: str) -> dict[str, str]:
    """Call the engineer on duty."""
    return {"incident": incident, "engineer": "Ines"}


mood_reader = LlmAgent(name="mood_reader", model=_MODEL, instruction="How does the customer feel?", output_schema=Mood)
topic_reader = LlmAgent(name="topic_reader", model=_MODEL, instruction="What is it about?", output_schema=Topic)
urgent_desk = LlmAgent(
    name="urgent_desk",
    model=_MODEL,
    instruction="Open an incident, call the engineer, then answer.",
    tools=[open_incident, call_engineer],
    output_key="answer",
)
normal_desk = LlmAgent(name="normal_desk", model=_MODEL, instruction="Answer politely.", output_key="answer")
join = JoinNode(name="join")

root_agent = Workflow(
    name="ticket_workflow",
    description="Answers support tickets.",
    edges=[
        ("START", clean_up, (mood_reader, topic_reader), join, choose_desk),
        (choose_desk, {"urgent": urgent_desk, DEFAULT_ROUTE: normal_desk}),
    ],
)
