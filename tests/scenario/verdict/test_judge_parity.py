"""Our judge and that of the real ARE package come to the same verdicts on freshly mutated traces."""

from __future__ import annotations

from pathlib import Path

import pytest
from parity.judge_parity import compare_judges

ARE_PYTHON = Path(__file__).parents[3] / ".venv-are" / "bin" / "python"


@pytest.mark.long
@pytest.mark.process
@pytest.mark.skipif(not ARE_PYTHON.exists(), reason="the ARE package is not installed: run make are-parity once")
def test_both_judges_agree_on_2000_mutated_traces() -> None:
    found = compare_judges(str(ARE_PYTHON), seed=0, count=2_000)
    print(found)
    assert found.different == []
    assert found.equal > 5_000
    # Neither judge would notice anything if all traces passed, or all failed.
    assert found.equal * 0.1 < found.passed < found.equal * 0.9
