"""What the browser and the server say to each other about scenarios and their worlds."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from adk_agent_sim.server.api_models import ApiModel

EventKind = Literal["user", "env", "agent", "oracle", "condition", "validation", "other"]
WorldCaller = Literal["agent", "env", "user"]


class ScenarioSummary(ApiModel):
    """A scenario in the list."""

    key: str = Field(description="What the API calls it")
    scenario_id: str
    path: str = Field(description="Where it stands, for people")
    event_count: int
    app_count: int
    validation_decision: str = Field(description="What a reviewer decided; empty if nobody has")
    annotator: str


class EventSummary(ApiModel):
    """An event of the scenario; its arguments are asked for when it is selected."""

    index: int = Field(description="Its place in the file, which names it here: ids may be there twice")
    event_id: str
    kind: EventKind
    expected_seconds: float | None = Field(
        description="When it is expected, since the start; None: it waits for a cycle"
    )
    turn: int | None
    depends_on: list[int] = Field(description="The places of the events that it waits for")
    app: str
    function: str
    summary: str = Field(description="Its arguments in one line")


class AnnotationInfo(ApiModel):
    """What a reviewer says; empty where nobody has."""

    validation_decision: str
    comment: str
    annotator: str
    date: float
    editable: bool = Field(description="Whether it can be written: the scenario has a file of its own")


class AnnotationPatch(ApiModel):
    """Writes into the scenario's file; what is None stays."""

    validation_decision: Literal["valid", "invalid", "needs_review"] | None = None
    comment: str | None = Field(default=None, max_length=20_000)
    annotator: str | None = Field(default=None, max_length=200)


class ScenarioInfo(ApiModel):
    """A scenario as it stands in its file."""

    key: str
    scenario_id: str
    path: str
    start_time: float | None
    duration: float | None
    seed: int | None
    tags: list[str]
    apps: list[str]
    adaptations: list[str] = Field(description="What had to be changed to read the file")
    annotation: AnnotationInfo
    events: list[EventSummary] = Field(description="By the time at which they are expected")


class EventDetail(ApiModel):
    """Everything behind an event."""

    event_id: str
    arguments: str = Field(description="A JSON object as text")
    event_json: str = Field(description="The event as the file holds it, JSON text")


class WorldTool(ApiModel):
    """A tool of an app of the world."""

    name: str = Field(description="As `Emails__list_emails`")
    description: str
    parameters: dict[str, Any]
    callers: list[WorldCaller] = Field(description="Who can call it")


class WorldCallInput(ApiModel):
    """Calls a tool in the world."""

    tool_name: str
    arguments: str = Field(description="A JSON object as text")
    caller: WorldCaller = "agent"
    anyway: bool = Field(default=False, description="Although the arguments do not fit")


class TimeControlInput(ApiModel):
    """Lets time pass, or takes something back."""

    command: Literal["step", "advance", "jump", "oracle", "undo", "restart"]
    seconds: float = Field(default=0, ge=0, lt=1e12, description="To advance by, or to jump to, since the start")


class NotificationInfo(ApiModel):
    """What the agent is told."""

    elapsed_seconds: float
    type: str
    text: str


class ChangeInfo(ApiModel):
    """One place where the world is other than before. Values over 4 KB are cut."""

    op: Literal["add", "remove", "replace"]
    path: str
    old: str | None = Field(description="JSON text")
    new: str | None = Field(description="JSON text")


class WorldEventInfo(ApiModel):
    """One event that is over."""

    event_id: str
    kind: str
    elapsed_seconds: float
    call: str
    summary: str
    error: str


class WorldAction(ApiModel):
    """What a person did in the world, and what came of it."""

    index: int
    summary: str = Field(description="The call or the step, in one line")
    caller: WorldCaller | None
    elapsed_seconds: float = Field(description="The world's time afterwards, since the start")
    result: str | None = Field(description="What was returned, as an agent sees it")
    error: str = Field(description="Why it failed")
    notifications: list[NotificationInfo]
    events: list[WorldEventInfo]
    event_count: int
    changes: list[ChangeInfo]
    change_count: int


class WorldInfo(ApiModel):
    """Where the world stands."""

    elapsed_seconds: float = Field(description="Since the start")
    now: float = Field(description="Seconds since 1970, in the world")
    status: str
    turn: int
    apps: list[str] = Field(description="Those of the scenario, and those that every world has")
    action_count: int = Field(description="How many can be taken back")


class WorldActionResult(ApiModel):
    """The world after something was done; no deed: read them again."""

    world: WorldInfo
    action: WorldAction | None
