from typing import get_args

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.timeline.event_validation import KIND_NAMES, PAYLOAD_CLASSES
from adk_agent_sim.timeline.events import Payload, Unreadable


def test_every_payload_class_has_one_name() -> None:
    # `Unreadable` stands for an event that could not be read, and is never stored.
    assert set(PAYLOAD_CLASSES.values()) == set(get_args(Payload)) - {Unreadable}
    assert len(KIND_NAMES) == len(PAYLOAD_CLASSES)


def test_every_name_is_a_payload_field_of_the_protocol() -> None:
    payload_fields = {field.name for field in v1.SessionEvent.DESCRIPTOR.oneofs_by_name["payload"].fields}

    assert set(PAYLOAD_CLASSES) <= payload_fields
