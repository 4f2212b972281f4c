from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.timeline.canonical_json import Json, decode_json, encode_json

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(_SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def _exact(value: Json) -> object:
    """Return the value with its types and key order, which == ignores."""
    if isinstance(value, dict):
        return [(key, _exact(inner)) for key, inner in value.items()]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_exact(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return (type(value).__name__, repr(value))


@given(JSON)
def test_a_json_value_comes_back_with_its_types_and_key_order(value: Json) -> None:
    assert _exact(decode_json(encode_json(value))) == _exact(value)


@given(JSON)
def test_the_text_is_ascii(value: Json) -> None:
    assert encode_json(value).isascii()


def test_5_and_5_0_and_true_are_distinguished() -> None:
    assert len({encode_json(5), encode_json(5.0), encode_json(True)}) == 3
    assert encode_json(-0.0) == b"-0.0"


def test_a_lone_surrogate_survives() -> None:
    assert decode_json(encode_json("\ud800x")) == "\ud800x"
