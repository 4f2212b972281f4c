"""The endpoints about benches; present only if the server was started with the folders of some."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request, Response

from adk_agent_sim.server.benches.api_models import BenchEntry, BenchInfo, BenchRunDetail, PauseInput
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog, OpenBench
from adk_agent_sim.server.benches.run_timeline import RunTimeline
from adk_agent_sim.server.scenarios.session_verdict import SessionVerdict
from adk_agent_sim.server.sessions.row_api_models import RowDetail
from adk_agent_sim.server.web.api_router import create_router
from adk_agent_sim.server.web.media_response import build_media_response
from adk_agent_sim.server.web.responses import json_response
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow

_REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""A run's page has its style inside, and is shown without our origin: nothing in it can use the API."""


_MAX_NUMBER = 2**53 - 1


def _get_benches(request: Request) -> BenchCatalog:
    return request.app.state.benches


def _get_open_bench(request: Request, key: str) -> OpenBench:
    return _get_benches(request)[key]


def _get_run_timeline(request: Request, key: str, run_id: str) -> RunTimeline:
    return _get_open_bench(request, key).timelines.find(run_id)


BenchesDependency = Annotated[BenchCatalog, Depends(_get_benches)]
BenchDependency = Annotated[OpenBench, Depends(_get_open_bench)]
RunDependency = Annotated[RunTimeline, Depends(_get_run_timeline)]

bench_api = create_router("/api/benches")


@bench_api.get("", response_model=list[BenchEntry])
async def list_benches(benches: BenchesDependency) -> Response:
    """Return the benches that the server was started with."""
    return json_response([await bench.summarize() for bench in benches])


@bench_api.get("/{key}", response_model=BenchInfo)
async def get_bench(bench: BenchDependency, generation: int = -1, after: Annotated[int, Query(ge=0)] = 0) -> Response:
    """Return a bench, with the runs that have ended since a request before."""
    return json_response(await bench.describe(generation, after))


@bench_api.post("/{key}/pause", response_model=BenchInfo)
async def set_bench_paused(bench: BenchDependency, choice: PauseInput) -> Response:
    """Let a running bench start no further runs, or let it continue."""
    await bench.pause(paused=choice.paused)
    return json_response(await bench.describe())


@bench_api.post("/{key}/runs/{run_id}/repeat", response_model=BenchInfo)
async def repeat_bench_run(bench: BenchDependency, run_id: str) -> Response:
    """Execute a run again: now if the bench is running, else when it is resumed."""
    await bench.repeat_run(run_id)
    return json_response(await bench.describe())


@bench_api.get("/{key}/report", response_class=Response)
async def get_bench_report(bench: BenchDependency, report: str) -> Response:
    """Return the page of a run that has ended."""
    page = await bench.read_report(report)
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": _REPORT_POLICY})


@bench_api.get("/{key}/runs/{run_id}", response_model=BenchRunDetail)
async def get_bench_run(
    bench: BenchDependency,
    run_id: str,
    attempt: str = "",
    after_seq: Annotated[int, Query(ge=0, le=_MAX_NUMBER)] = 0,
) -> Response:
    """Return a run that is executed now or has ended, with what has happened in it since a request before."""
    return json_response(await bench.describe_run(run_id, attempt, after_seq))


@bench_api.get("/{key}/runs/{run_id}/rows", response_model=list[TimelineRow])
async def list_bench_run_rows(
    run: RunDependency,
    start: Annotated[int, Query(ge=0, le=_MAX_NUMBER)] = 0,
    count: Annotated[int, Query(ge=1, le=10_000)] = 200,
) -> Response:
    """Rows of a run by index."""
    return json_response(run.list_rows(start, count))


@bench_api.get("/{key}/runs/{run_id}/rows/{index}", response_model=RowDetail)
async def get_bench_run_row(
    bench: BenchDependency, run: RunDependency, run_id: str, index: int, full: bool = False
) -> Response:
    """Return the values and files of a row; values over 20 KB are cut unless `full`."""
    url = f"/api/benches/{bench.key}/runs/{run_id}"
    return json_response(await run.get_row_detail(index, url=url, full=full))


@bench_api.get("/{key}/runs/{run_id}/rows/{index}/verdict", response_model=SessionVerdict)
async def get_bench_run_verdict(run: RunDependency, index: int) -> Response:
    """Return the verdict that a row shows: what was expected beside what happened."""
    return json_response(run.get_verdict(index))


@bench_api.get(
    "/{key}/runs/{run_id}/rows/{index}/media/{file_index}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def get_bench_run_media(run: RunDependency, index: int, file_index: int) -> Response:
    """Return the bytes of an image or file of a row."""
    return build_media_response(await run.get_media_file(index, file_index))
