import re

from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.golden.markdown_blocks import (
    render_code_block,
    render_collapsible,
    render_inline_code,
    render_titled_block,
)

_HOSTILE = st.lists(
    st.sampled_from(["`", "``", "```", "````", "\n", "~~~", "</details>", "<b>", "|", "# h", " ", "a"]), max_size=12
).map("".join)


@given(text=_HOSTILE)
def test_a_fence_is_closed_by_its_own_end_only(text: str) -> None:
    first, *inside, last = render_code_block(text).split("\n")

    assert first == last
    assert not any(re.match(rf" {{0,3}}{first}`*\s*$", line) for line in inside)
    assert "\n".join(inside) == text


@given(text=_HOSTILE)
def test_code_within_a_line_stays_in_its_line_and_its_cell(text: str) -> None:
    found = render_inline_code(text)
    ticks = re.match("`+", found)

    assert ticks
    assert "\n" not in found
    assert not re.search(r"(?<!\\)\|", found)
    inside = found[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall("`+", inside)


def test_a_long_block_is_collapsed() -> None:
    assert render_titled_block("Result", render_code_block("short")).startswith("Result:\n\n```\n")
    assert render_titled_block("Result", render_code_block("a\n" * 40)).startswith(
        "<details><summary>Result, 41 lines</summary>\n\n```\n"
    )
    assert render_titled_block("Result", render_code_block("a" * 2_000)).startswith(
        "<details><summary>Result, 1 line</summary>\n\n```\n"
    )


def test_a_title_is_not_interpreted_as_html() -> None:
    assert "<summary>&lt;b&gt;</summary>" in render_collapsible("<b>", "")
