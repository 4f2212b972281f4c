import struct

from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.wire.message_codec import fill_message, round_to_shortest


def _fill(message: Message, **value: object) -> Message:
    fill_message(message, value)
    return message


@given(st.floats(width=32, allow_nan=False))
def test_the_shortest_double_is_the_same_in_single_precision(single: float) -> None:
    assert struct.pack("f", round_to_shortest(single)) == struct.pack("f", single)


def test_a_setting_of_two_digits_is_read_with_two_digits() -> None:
    message = v1.GenerationConfig(temperature=0.7)

    assert message.temperature != 0.7
    assert round_to_shortest(message.temperature) == 0.7


@given(st.text())
def test_text_without_surrogates_is_unchanged(text: str) -> None:
    assert replace_lone_surrogates(text) == text


def test_a_lone_surrogate_is_replaced_and_a_pair_is_a_character() -> None:
    assert replace_lone_surrogates("a\ud800b") == "a\ufffdb"
    assert replace_lone_surrogates("\ud83d\ude00") == "\U0001f600"


def test_a_whole_float_fits_an_integer() -> None:
    assert _fill(v1.GenerationConfig(), top_k=40.0) == v1.GenerationConfig(top_k=40)


def test_a_value_that_a_field_cannot_represent_is_left_out() -> None:
    empty = v1.GenerationConfig()

    assert _fill(v1.GenerationConfig(), top_k=0.5, seed=2**31, logprobs=True, temperature=10**400) == empty
    assert _fill(v1.GenerationConfig(), media_resolution="SHARP", speech_config="Puck", response_logprobs=1) == empty
    assert _fill(v1.Blob(), data="a", mime_type=5) == v1.Blob()
