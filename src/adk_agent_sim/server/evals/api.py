"""The endpoints about files of eval cases; present only if the server was started with such files or with agents."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request, Response

from adk_agent_sim.server.evals.api_models import (
    CaseCorrectionInput,
    CaseDeletionInput,
    CaseMoveInput,
    CaseRenameInput,
    ComparisonInput,
    EvalCaseDetail,
    EvalConversionResult,
    EvalEditResult,
    EvalFileInfo,
    EvalFileSummary,
)
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog, OpenEvalFile
from adk_agent_sim.server.sessions.row_details import RowDetail
from adk_agent_sim.server.web.api_router import create_router
from adk_agent_sim.server.web.responses import build_media_response, json_response
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.use_cases.cases import CaseCheckInfo

_MAX_START = 2**53 - 1


def _get_evals(request: Request) -> EvalCatalog:
    return request.app.state.evals


async def _get_open_file(request: Request, key: str) -> OpenEvalFile:
    return await _get_evals(request).get(key)


EvalsDependency = Annotated[EvalCatalog, Depends(_get_evals)]
EvalFileDependency = Annotated[OpenEvalFile, Depends(_get_open_file)]

eval_api = create_router("/api/evals")


@eval_api.get("", response_model=list[EvalFileSummary])
async def list_eval_files(evals: EvalsDependency) -> Response:
    """Return the files that the server was started with, or those of its agents."""
    return json_response([await file.summarize() for file in await evals.list_files()])


@eval_api.get("/{key}", response_model=EvalFileInfo)
async def get_eval_file(file: EvalFileDependency) -> Response:
    """Return a file with its cases."""
    return json_response(await file.describe())


@eval_api.post("/{key}/convert", response_model=EvalConversionResult)
async def convert_eval_file(evals: EvalsDependency, key: str) -> Response:
    """Write the cases of a file that can only be read to a new EvalSet beside it, which can be edited."""
    return json_response(await evals.convert(key))


@eval_api.post("/{key}/undo", response_model=EvalEditResult)
async def undo_eval_edit(file: EvalFileDependency) -> Response:
    """Take the last edit of the file back."""
    return json_response(await file.undo_or_redo(file.file.editor.undo))


@eval_api.post("/{key}/redo", response_model=EvalEditResult)
async def redo_eval_edit(file: EvalFileDependency) -> Response:
    """Make the last edit that was undone again."""
    return json_response(await file.undo_or_redo(file.file.editor.redo))


@eval_api.get("/{key}/cases/{case_key}", response_model=EvalCaseDetail)
async def get_eval_case(file: EvalFileDependency, case_key: str) -> Response:
    """Return a case with its fields and its last check."""
    return json_response(await file.describe_case(case_key))


@eval_api.get("/{key}/cases/{case_key}/rows", response_model=list[TimelineRow])
async def get_eval_rows(
    file: EvalFileDependency,
    case_key: str,
    start: Annotated[int, Query(ge=0, le=_MAX_START)] = 0,
    count: Annotated[int, Query(ge=1, le=10_000)] = 200,
) -> Response:
    """Rows of a case by index."""
    return json_response(await file.list_rows(case_key, start, count))


@eval_api.get("/{key}/cases/{case_key}/rows/{index}", response_model=RowDetail)
async def get_eval_row(file: EvalFileDependency, case_key: str, index: int, full: bool = False) -> Response:
    """Return the values and files of a row; values over 20 KB are cut unless `full`."""
    return json_response(await file.get_row_detail(case_key, index, full=full))


@eval_api.get(
    "/{key}/cases/{case_key}/rows/{index}/media/{file_index}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def get_eval_media(file: EvalFileDependency, case_key: str, index: int, file_index: int) -> Response:
    """Return the bytes of an image or file of a row."""
    return build_media_response(await file.get_media_file(case_key, index, file_index))


@eval_api.post("/{key}/cases/{case_key}/check", response_model=EvalCaseDetail)
async def check_eval_case(file: EvalFileDependency, case_key: str) -> Response:
    """Replay a case on the real tools, and score the replay with ADK's metrics that need no model."""
    return json_response(await file.check(case_key))


@eval_api.post("/{key}/cases/{case_key}/compare", response_model=CaseCheckInfo)
async def compare_eval_case(
    evals: EvalsDependency, file: EvalFileDependency, case_key: str, comparison: ComparisonInput
) -> Response:
    """Score another recording of the same conversation, such as a session of the agent's own model."""
    other = (await evals.get(comparison.file_key)).file
    found = other.find_case(comparison.case_key)
    return json_response(await file.compare(case_key, f"{found.eval_id} of {other.path.name}", found))


@eval_api.patch("/{key}/cases/{case_key}", response_model=EvalEditResult)
async def rename_eval_case(file: EvalFileDependency, case_key: str, new: CaseRenameInput) -> Response:
    """Give a case another id."""
    return json_response(await file.edit(lambda: file.file.editor.rename(case_key, new.eval_id)))


@eval_api.post("/{key}/cases/{case_key}/duplicate", response_model=EvalEditResult)
async def duplicate_eval_case(file: EvalFileDependency, case_key: str) -> Response:
    """Add a copy of a case after it."""
    return json_response(await file.edit(lambda: file.file.editor.duplicate(case_key)))


@eval_api.post("/{key}/cases/{case_key}/move", response_model=EvalEditResult)
async def move_eval_case(file: EvalFileDependency, case_key: str, place: CaseMoveInput) -> Response:
    """Move a case behind another one."""
    return json_response(await file.edit(lambda: file.file.editor.move(case_key, place.after_key)))


@eval_api.post("/{key}/cases/{case_key}/delete", response_model=EvalEditResult)
async def delete_eval_case(file: EvalFileDependency, case_key: str, deletion: CaseDeletionInput) -> Response:
    """Remove a case, unless another writer has changed it since."""
    return json_response(await file.edit(lambda: file.file.editor.delete(case_key, deletion.fingerprint)))


@eval_api.post("/{key}/cases/{case_key}/correct", response_model=EvalEditResult)
async def correct_eval_case(file: EvalFileDependency, case_key: str, correction: CaseCorrectionInput) -> Response:
    """Replace values of a case, unless another writer has changed it since."""
    return json_response(await file.correct(case_key, correction))
