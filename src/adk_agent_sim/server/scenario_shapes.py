"""What the browser and the server say to each other about scenarios and their worlds."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from adk_agent_sim.server.shapes import Shape

EventKind = Literal["user", "env", "agent", "oracle", "condition", "validation", "other"]
Caller = Literal["agent", "env", "user"]


class ScenarioLine(Shape):
    """A scenario in the list."""

    key: str = Field(description="What the API calls it")
    scenario_id: str
    path: str = Field(description="Where it stands, for people")
    events: int
    apps: int
    decision: str = Field(description="What a reviewer decided; empty if nobody has")
    annotator: str


class EventLine(Shape):
    """An event of the scenario; its arguments are asked for when it is selected."""

    place: int = Field(description="Its place in the file, which names it here: ids may be there twice")
    event_id: str
    kind: EventKind
    seconds: float | None = Field(description="When it is expected, since the start; None: it waits for a cycle")
    turn: int | None
    after: list[int] = Field(description="The places of the events that it waits for")
    app: str
    function: str
    summary: str = Field(description="Its arguments in one line")


class AnnotationShape(Shape):
    """What a reviewer says; empty where nobody has."""

    validation_decision: str
    comment: str
    annotator: str
    date: float
    editable: bool = Field(description="Whether it can be written: the scenario has a file of its own")


class AnnotationPatch(Shape):
    """Writes into the scenario's file; what is None stays."""

    validation_decision: Literal["valid", "invalid", "needs_review"] | None = None
    comment: str | None = Field(default=None, max_length=20_000)
    annotator: str | None = Field(default=None, max_length=200)


class ScenarioShape(Shape):
    """A scenario as it stands in its file."""

    key: str
    scenario_id: str
    path: str
    start_time: float | None
    duration: float | None
    seed: int | None
    tags: list[str]
    apps: list[str]
    adapted: list[str] = Field(description="What had to be changed to read the file")
    annotation: AnnotationShape
    events: list[EventLine] = Field(description="By the time at which they are expected")


class EventDetail(Shape):
    """Everything behind an event."""

    event_id: str
    arguments: str = Field(description="A JSON object as text")
    event: str = Field(description="The event as the file holds it, JSON text")


class WorldTool(Shape):
    """A tool of an app of the world."""

    name: str = Field(description="As `Emails__list_emails`")
    description: str
    parameters: dict[str, Any]
    callers: list[Caller] = Field(description="Who can call it")


class WorldCall(Shape):
    """Calls a tool in the world."""

    tool: str
    arguments: str = Field(description="A JSON object as text")
    via: Caller = "agent"
    anyway: bool = Field(default=False, description="Although the arguments do not fit")


class WorldTime(Shape):
    """Lets time pass, or takes something back."""

    what: Literal["step", "advance", "jump", "oracle", "undo", "restart"]
    seconds: float = Field(default=0, ge=0, lt=1e12, description="To advance by, or to jump to, since the start")


class NotificationShape(Shape):
    """What the agent is told."""

    seconds: float
    type: str
    text: str


class ChangeShape(Shape):
    """One place where the world is other than before. Values over 4 KB are cut."""

    op: Literal["add", "remove", "replace"]
    path: str
    old: str | None = Field(description="JSON text")
    new: str | None = Field(description="JSON text")


class HappenedShape(Shape):
    """One event that is over."""

    event_id: str
    kind: str
    seconds: float
    call: str
    summary: str
    error: str


class Deed(Shape):
    """What a person did in the world, and what came of it."""

    index: int
    what: str = Field(description="The call or the step, in one line")
    via: Caller | None
    seconds: float = Field(description="The world's time afterwards, since the start")
    result: str | None = Field(description="What was returned, as an agent sees it")
    error: str = Field(description="Why it failed")
    notifications: list[NotificationShape]
    happened: list[HappenedShape]
    happened_count: int
    changes: list[ChangeShape]
    change_count: int


class WorldShape(Shape):
    """Where the world stands."""

    seconds: float = Field(description="Since the start")
    now: float = Field(description="Seconds since 1970, in the world")
    standing: str
    turn: int
    apps: list[str] = Field(description="Those of the scenario, and those that every world has")
    deeds: int = Field(description="How many can be taken back")


class Acted(Shape):
    """The world after something was done; no deed: read them again."""

    world: WorldShape
    deed: Deed | None
