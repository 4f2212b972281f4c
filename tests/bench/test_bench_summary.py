"""The summary of a bench: what is counted, how failures are grouped, and that order does not matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench_builders import build_result, build_runs, iter_large_bench, write_results
from click.testing import CliRunner

from adk_agent_sim.bench.bench_report import read_summary
from adk_agent_sim.bench.bench_summary import summarize_bench
from adk_agent_sim.bench.failure_reasons import normalize_reason
from adk_agent_sim.bench.run_group import Variant, get_variant_noun, label_variants
from adk_agent_sim.cli.main import adksim


def test_errors_and_timeouts_are_not_passed_and_runs_without_judgement_do_not_count() -> None:
    summary = summarize_bench(build_runs("s1", "+++-!t??"))

    overall = summary.overall
    assert overall.runs == 8
    assert dict(overall.outcomes) == {"passed": 3, "failed": 1, "error": 1, "timeout": 1, "not_judged": 2}
    assert (overall.success.passed, overall.success.total, summary.success_rate) == (3, 6, 0.5)


def test_a_bench_without_judged_runs_has_no_rate() -> None:
    assert summarize_bench(build_runs("s1", "??")).success_rate is None
    assert summarize_bench([]).success_rate is None


def test_scripted_quality_gives_exactly_its_attempts() -> None:
    # pass@2: (5/6 + 3/6 + 1) / 3; pass^2: (1/6 + 0 + 1) / 3, from the subsets of two of four runs.
    results = [*build_runs("s1", "++--"), *build_runs("s2", "+---"), *build_runs("s3", "++++")]

    attempts = {each.k: each for each in summarize_bench(results).variants[0].overall.attempts}

    assert sorted(attempts) == [1, 2, 3, 4]
    assert (attempts[1].pass_at_k, attempts[1].pass_hat_k) == pytest.approx((7 / 12, 7 / 12))
    assert (attempts[2].pass_at_k, attempts[2].pass_hat_k) == pytest.approx((14 / 18, 7 / 18))
    assert (attempts[4].pass_at_k, attempts[4].pass_hat_k) == pytest.approx((1, 1 / 3))


def test_scenarios_with_fewer_runs_than_k_are_left_out_and_counted() -> None:
    results = [*build_runs("s1", "+-"), *build_runs("s2", "+?")]

    attempts = summarize_bench(results).variants[0].overall.attempts

    assert [(each.k, each.scenarios, each.pass_at_k) for each in attempts] == [(1, 2, 0.75), (2, 1, 1.0)]


def test_many_runs_per_scenario_are_reported_for_few_k() -> None:
    attempts = summarize_bench(build_runs("s1", "+-" * 50)).overall.attempts

    assert [each.k for each in attempts] == [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 100]


def test_attempts_of_two_agents_in_one_scenario_are_kept_apart() -> None:
    results = [*build_runs("s1", "+", agent="a"), *build_runs("s1", "-", agent="b")]

    assert [(each.k, each.pass_at_k) for each in summarize_bench(results).overall.attempts] == [(1, 0.5)]


def test_measures_are_totals_means_and_quantiles() -> None:
    results = [build_result(run=run, input_tokens=run * 100, output_tokens=1) for run in range(1, 12)]

    group = summarize_bench(results).overall

    assert (group.input_tokens.total, group.input_tokens.mean) == (6_600, 600)
    assert (group.input_tokens.low, group.input_tokens.median, group.input_tokens.high) == (200, 600, 1_000)
    assert group.tokens.total == 6_611


@pytest.mark.req("004/tags")
def test_tags_are_summed_up_per_variant() -> None:
    results = [
        *build_runs("s1", "++", tags=("search", "noise")),
        *build_runs("s2", "+-", tags=("search",)),
        *build_runs("s1", "--", agent="b", tags=("search", "noise")),
    ]

    summary = summarize_bench(results)

    assert summary.tags == ("noise", "search")
    rates = {each.label: {tag: group.success.value for tag, group in each.tags.items()} for each in summary.variants}
    assert rates == {"a": {"noise": 1.0, "search": 0.75}, "b": {"noise": 0.0, "search": 0.0}}


def test_labels_name_only_what_varies() -> None:
    same = [Variant("a", "m", "real", "r1"), Variant("b", "m", "real", "r1")]
    mixed = [Variant("a", "m1", "real", ""), Variant("a", "m2", "real", "r1")]

    assert list(label_variants(same).values()) == ["a", "b"]
    assert list(label_variants(mixed).values()) == ["a · m1 · no rules", "a · m2 · r1"]
    assert (get_variant_noun(same), get_variant_noun(mixed)) == ("agent", "variant")


def test_failures_that_differ_in_ids_and_values_are_one_group() -> None:
    reasons = (
        "Turn 1: Email__send (event_3): subject: expected Hi (a), got Bye (b), got it (exact)",
        "Turn 1: Email__send (event_17): subject: expected Lunch, got Dinner (exact)",
        "Turn 1: Email__send (event_17): recipients: expected Lunch, got Dinner (exact)",
    )
    results = [build_result("failed", scenario=f"s{n}", reason=each) for n, each in enumerate(reasons)]
    results += [build_result("error", scenario="s1", agent="b", reason=reasons[0])]

    groups = summarize_bench(results).failures

    assert [(each.outcome, each.total, each.reason) for each in groups] == [
        ("failed", 2, "Turn #: Email__send: subject: expected …, got … (exact)"),
        ("error", 1, "Turn #: Email__send: subject: expected …, got … (exact)"),
        ("failed", 1, "Turn #: Email__send: recipients: expected …, got … (exact)"),
    ]
    assert [example.scenario for example in groups[0].examples] == ["s0", "s1"]
    assert groups[0].counts == {"a": 2}


def test_a_reason_that_all_runs_share_is_shown_with_its_values(tmp_path: Path) -> None:
    secret = "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"
    same, long = f"its class 'NoSuchApp' is unknown,\n key {secret}", "very long " * 60
    results = [build_result("failed", scenario=f"s{n}", reason=same) for n in (1, 2)]
    results += [build_result("error", scenario=f"s{n}", reason=f"exit code {n}") for n in (3, 4)]
    results += [build_result("timeout", scenario="s5", reason=long), build_result("not_judged", scenario="s6")]
    write_results(tmp_path, results)

    shown = {each.outcome: each.shown_reason for each in read_summary(tmp_path).failures}
    printed = CliRunner().invoke(adksim, ["bench", "report", str(tmp_path)]).stdout

    assert shown["failed"].startswith("its class 'NoSuchApp' is unknown, key ")
    assert secret not in shown["failed"] + printed
    assert (shown["error"], shown["timeout"]) == ("exit code #", long.strip())
    assert shown["not_judged"] == "No reason was given."
    for text in shown.values():
        assert text in printed


@pytest.mark.parametrize(
    ("reason", "normalized"),
    [
        (
            "Turn 2: the number of calls differs: A__b (expected 1, got 0), A__c (expected 2, got 12)",
            "Turn #: the number of calls differs: A__b (expected #, got #), A__c (expected #, got #)",
        ),
        (
            "The limit of 9 calls. Turn 3: EmailClientV2__send (e17): to: x",
            "The limit of # calls. Turn #: EmailClientV2__send: to: x",
        ),
        ("Turn 1: EmailClientV2__send is missing (Event-AGENT-12 b)", "Turn #: EmailClientV2__send is missing"),
        ("no email 0f8fad5b-d9cd-469f-a165-70867728950e", "no email #"),
        ("no email 9f86d081884c7d65\n  at all", "no email # at all"),
        ("KeyError: 'alice@example.com'", "KeyError: '…'"),
        ("took 12.5 s at 10:31:07, object at 0x7f3a", "took # s at #, object at #"),
        ("the facade was added", "the facade was added"),
        ("", ""),
    ],
)
def test_ids_numbers_and_values_are_normalized(reason: str, normalized: str) -> None:
    assert normalize_reason(reason) == normalized


def test_a_long_reason_is_cut() -> None:
    assert len(normalize_reason("very " * 10_000)) < 300


def test_the_order_of_the_results_does_not_matter() -> None:
    results = list(iter_large_bench(2, 12, 2))

    assert summarize_bench(results[::-1]) == summarize_bench(results)
    assert summarize_bench([*results[1::2], *results[::2]]) == summarize_bench(results)


def test_the_matrix_holds_every_run_once() -> None:
    results = list(iter_large_bench(3, 20, 2))

    summary = summarize_bench(results)

    assert len(summary.cells) == 60
    assert sorted(run.key.model_dump_json() for runs in summary.cells.values() for run in runs) == sorted(
        each.key.model_dump_json() for each in results
    )


def test_the_later_line_of_a_key_wins_and_a_torn_line_is_ignored(tmp_path: Path) -> None:
    first, second = build_result("error", reason="boom"), build_result("passed")
    write_results(tmp_path, [first, second])
    with (tmp_path / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"scenario": "s2"})[:-3])

    summary = read_summary(tmp_path)

    assert (summary.overall.runs, summary.success_rate) == (1, 1.0)


def test_secrets_in_reasons_are_masked(tmp_path: Path) -> None:
    secret = "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"
    write_results(tmp_path, [build_result("failed", reason=f"the key {secret} was rejected")])

    result = read_summary(tmp_path).failures[0].examples[0]

    assert secret not in result.reason
    assert "was rejected" in result.reason
