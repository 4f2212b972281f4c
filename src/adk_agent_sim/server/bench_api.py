"""The endpoints about benches; present only if the server was started with the folders of some."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request, Response

from adk_agent_sim.bench.bench_result import RunKey
from adk_agent_sim.server.api_router import create_router
from adk_agent_sim.server.bench_api_models import BenchEntry, BenchInfo, BenchRunKey, PauseInput
from adk_agent_sim.server.bench_catalog import BenchCatalog, OpenBench
from adk_agent_sim.server.responses import json_response

_REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""A run's page has its style inside, and is shown without our origin: nothing in it can use the API."""


def _get_benches(request: Request) -> BenchCatalog:
    return request.app.state.benches


def _get_open_bench(request: Request, key: str) -> OpenBench:
    return _get_benches(request)[key]


BenchesDependency = Annotated[BenchCatalog, Depends(_get_benches)]
BenchDependency = Annotated[OpenBench, Depends(_get_open_bench)]

bench_api = create_router("/api/benches")


@bench_api.get("", response_model=list[BenchEntry])
async def list_benches(benches: BenchesDependency) -> Response:
    """The benches that the server was started with."""
    return json_response([await bench.summarize() for bench in benches])


@bench_api.get("/{key}", response_model=BenchInfo)
async def get_bench(bench: BenchDependency, generation: int = -1, after: Annotated[int, Query(ge=0)] = 0) -> Response:
    """A bench, with the runs that have ended since a request before."""
    return json_response(await bench.describe(generation, after))


@bench_api.post("/{key}/pause", response_model=BenchInfo)
async def set_bench_paused(bench: BenchDependency, choice: PauseInput) -> Response:
    """Let a running bench start no further runs, or let it continue."""
    await bench.pause(paused=choice.paused)
    return json_response(await bench.describe())


@bench_api.post("/{key}/requeue", response_model=BenchInfo)
async def requeue_bench_run(bench: BenchDependency, run_key: BenchRunKey) -> Response:
    """Execute a run again: now if the bench is running, else when it is resumed."""
    await bench.requeue(RunKey(**run_key.model_dump()))
    return json_response(await bench.describe())


@bench_api.get("/{key}/report", response_class=Response)
async def get_bench_report(bench: BenchDependency, report: str) -> Response:
    """The page of a run that has ended."""
    page = await bench.read_report(report)
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": _REPORT_POLICY})
