import json
import os
import sys
import textwrap
from pathlib import Path

import fork_server
import pytest
from fork_server import OpenProcess
from golden.test_session import ANSWER, CALL, OUTPUT, QUERY, session
from google.adk.evaluation.eval_case import EvalCase
from google.adk.evaluation.eval_set import EvalSet
from polling import MAX_WAIT_SECONDS
from timeline_builders import ManualClock

from adk_agent_sim.errors import ExportRefused, NotAnEvalSet
from adk_agent_sim.golden.eval_set import EvalSetWriter
from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.history import FinalResponse


def _case(eval_id: str = "math_1") -> EvalCase:
    return GoldenTraceBuilder(session(QUERY, CALL, OUTPUT, ANSWER)).build().model_copy(update={"eval_id": eval_id})


def _ids(path: Path) -> list[str]:
    return [case.eval_id for case in EvalSet.model_validate_json(path.read_text(encoding="utf-8")).eval_cases]


@pytest.mark.req("000/EvalSetWriter", "001/FR-021", "001/FR-022", "001/US3.2")
def test_a_missing_file_is_created_with_its_folder_and_metadata(tmp_path: Path) -> None:
    path = tmp_path / "evals" / "deep" / "math.evalset.json"
    EvalSetWriter(path, "MathAgent", ManualClock(1_234.5)).write_eval_case(_case())

    eval_set = EvalSet.model_validate_json(path.read_text(encoding="utf-8"))
    assert eval_set.eval_set_id == "math_agent_evals"
    assert eval_set.name == "MathAgent"
    assert "MathAgent" in (eval_set.description or "")
    assert eval_set.creation_timestamp == 1_234.5
    assert eval_set.eval_cases == [_case()]


@pytest.mark.req("000/EvalSetWriter", "001/FR-023", "001/US3.3")
def test_a_case_is_appended_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "math.evalset.json"
    writer = EvalSetWriter(path, "Math")
    sets: list[EvalSet] = []
    for number in range(3):
        writer.write_eval_case(_case(f"math_{number}"))
        sets.append(EvalSet.model_validate_json(path.read_text(encoding="utf-8")))

    first, _, last = sets
    assert last.eval_cases == [_case(f"math_{number}") for number in range(3)]
    assert last.model_copy(update={"eval_cases": first.eval_cases}) == first


@pytest.mark.req("001/FR-025")
def test_an_id_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    path = tmp_path / "math.evalset.json"
    writer = EvalSetWriter(path, "Math")
    written = [writer.write_eval_case(_case("same")).eval_id for _ in range(3)]

    assert written == _ids(path) == ["same", "same_2", "same_3"]


@pytest.mark.parametrize("eval_id", ["", "  "])
@pytest.mark.req("000/validation-10")
def test_a_case_without_an_id_is_refused(tmp_path: Path, eval_id: str) -> None:
    with pytest.raises(ValueError, match="has no eval_id"):
        EvalSetWriter(tmp_path / "x.json", "Math").write_eval_case(_case(eval_id))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b"[]",
        b'{"eval_cases": []}',
        b'{"eval_set_id": "x", "eval_cases": [{"eval_id": "no conversation"}]}',
        b"\xff\xfe\x00binary",
        b'{"eval_set_id": "x", "eval_cases": [',
    ],
)
def test_a_file_that_is_not_an_eval_set_is_refused_and_not_changed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "precious.json"
    path.write_bytes(content)

    with pytest.raises(NotAnEvalSet, match=r"precious\.json is not an EvalSet and was not changed"):
        EvalSetWriter(path, "Math").write_eval_case(_case())
    assert path.read_bytes() == content
    assert {left.name for left in tmp_path.iterdir()} == {"precious.json"}


def test_fields_that_adk_does_not_know_survive(tmp_path: Path) -> None:
    path = tmp_path / "math.evalset.json"
    known: dict[str, object] = {"eval_set_id": "x", "eval_cases": [], "owner": {"team": "ünïcode"}, "big": 2**70}
    path.write_text(json.dumps(known), encoding="utf-8")
    EvalSetWriter(path, "Math").write_eval_case(_case())

    content = json.loads(path.read_text(encoding="utf-8"))
    assert (content["owner"], content["big"], content["eval_set_id"]) == ({"team": "ünïcode"}, 2**70, "x")
    assert len(content["eval_cases"]) == 1


def test_a_set_that_adk_web_wrote_in_camel_case_can_be_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "web.evalset.json"
    theirs = json.loads(_case("same").model_dump_json(by_alias=True, exclude_none=True))
    path.write_text(json.dumps({"eval_set_id": "x", "eval_cases": [theirs]}), encoding="utf-8")
    EvalSetWriter(path, "Math").write_eval_case(_case("same"))

    assert _ids(path) == ["same", "same_2"]
    assert json.loads(path.read_text(encoding="utf-8"))["eval_cases"][0] == theirs


def test_a_link_stays_a_link_and_the_file_becomes_private(tmp_path: Path) -> None:
    target = tmp_path / "real.evalset.json"
    EvalSetWriter(target, "Math").write_eval_case(_case("first"))
    target.chmod(0o640)
    link = tmp_path / "link.evalset.json"
    link.symlink_to(target)
    EvalSetWriter(link, "Math").write_eval_case(_case("second"))

    assert link.is_symlink()
    assert _ids(target) == ["first", "second"]
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_lone_surrogate_does_not_break_the_file(tmp_path: Path) -> None:
    path = tmp_path / "math.evalset.json"
    broken = GoldenTraceBuilder(
        session(QUERY, FinalResponse(content="half \ud83d of a pair, whole \U0001f600"))
    ).build()
    EvalSetWriter(path, "Math").write_eval_case(broken)

    (case,) = EvalSet.model_validate_json(path.read_text(encoding="utf-8")).eval_cases
    answer = (case.conversation or [])[0].final_response
    assert answer is not None
    assert (answer.parts or [])[0].text == "half \ufffd of a pair, whole \U0001f600"


@pytest.mark.parametrize("levels", [195, 240])
def test_a_case_that_adk_could_not_read_does_not_change_the_file(tmp_path: Path, levels: int) -> None:
    path = tmp_path / "math.evalset.json"
    writer = EvalSetWriter(path, "Math")
    writer.write_eval_case(_case("kept"))
    before = path.read_bytes()
    deep: Json = 4
    for _ in range(levels):
        deep = [deep]
    case = GoldenTraceBuilder(session(QUERY, CALL, OUTPUT.model_copy(update={"result": deep}), ANSWER)).build()

    with pytest.raises(ExportRefused, match="recursion limit exceeded"):
        writer.write_eval_case(case)
    assert path.read_bytes() == before


_APPEND = """
    import sys
    from pathlib import Path
    from golden.test_eval_set import _case
    from adk_agent_sim.golden.eval_set import EvalSetWriter
    writer = EvalSetWriter(Path(sys.argv[1]), "Math")
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(sys.argv[3])):
        writer.write_eval_case(_case(f"{sys.argv[2]}_{number}"))
"""


def _appender(path: Path, name: str, count: int) -> OpenProcess:
    return fork_server.open_process(
        ["-c", textwrap.dedent(_APPEND), str(path), name, str(count)],
        environment={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )


@pytest.mark.process
def test_two_processes_can_append_at_once(tmp_path: Path) -> None:
    path = tmp_path / "math.evalset.json"
    writers = [_appender(path, name, 25) for name in ("left", "right")]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.communicate(MAX_WAIT_SECONDS)

    assert [writer.returncode for writer in writers] == [0, 0]
    assert sorted(_ids(path)) == sorted(f"{name}_{number}" for name in ("left", "right") for number in range(25))


_FULL = """
    import resource, signal, sys
    from pathlib import Path
    from golden.test_eval_set import _case
    from adk_agent_sim.errors import ExportRefused
    from adk_agent_sim.golden.eval_set import EvalSetWriter
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
    try:
        EvalSetWriter(Path(sys.argv[1]), "Math").write_eval_case(_case("too much"))
    except ExportRefused as error:
        print("refused:", error)
"""


@pytest.mark.process
@pytest.mark.skipif(os.name != "posix", reason="only POSIX can limit the size of a process's files")
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "math.evalset.json"
    EvalSetWriter(path, "Math").write_eval_case(_case("kept"))
    before = path.read_bytes()

    done = fork_server.run(
        ["-c", textwrap.dedent(_FULL), str(path)],
        environment={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])},
    )

    assert done.stdout.startswith("refused:")
    assert "larger than the system allows" in done.stdout
    assert path.read_bytes() == before
    assert {left.name for left in tmp_path.iterdir()} == {path.name}
