"""Measures redaction on lists of secrets and near misses."""

import json

from secret_corpus import make_plain_values, make_secret_cases

from adk_agent_sim.timeline.redaction.redactor import SECRET_PATTERNS, Redactor, SecretGroup

_TARGET = 0.98


def test_at_least_98_of_100_secrets_are_masked() -> None:
    cases = make_secret_cases()
    missed = [
        case for case in cases if case.secret in json.dumps(Redactor({}).redact_value(case.value), ensure_ascii=False)
    ]

    for case in missed:
        print("missed:", case.label, "|", Redactor({}).redact_value(case.value))
    recall = 1 - len(missed) / len(cases)
    print(f"recall: {recall:.4f} of {len(cases)} secrets")
    assert len(cases) >= 200
    assert len({case.label for case in cases}) == len(cases)
    assert all(case.secret in json.dumps(case.value, ensure_ascii=False) for case in cases)
    assert recall >= _TARGET


def test_at_least_98_of_100_masked_values_are_secrets() -> None:
    plain = make_plain_values()
    wrong = [value for value in plain if Redactor({}).redact_value(value) != value]

    for value in wrong:
        print("wrongly masked:", repr(value), "|", Redactor({}).redact_value(value))
    masked = len(make_secret_cases())
    precision = masked / (masked + len(wrong))
    untouched = 1 - len(wrong) / len(plain)
    print(f"precision: {precision:.4f}; {untouched:.4f} of {len(plain)} other values are untouched")
    assert len(plain) >= 200
    assert precision >= _TARGET
    assert untouched >= _TARGET


def test_every_group_of_the_table_has_patterns_with_a_label() -> None:
    assert {pattern.group for pattern in SECRET_PATTERNS} == set(SecretGroup)
    assert all(pattern.label for pattern in SECRET_PATTERNS)
