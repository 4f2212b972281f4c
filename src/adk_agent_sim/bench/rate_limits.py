"""Recognizes that a model's provider wants fewer requests, and says how long to wait then."""

from __future__ import annotations

from dataclasses import dataclass

_TOO_MANY_REQUESTS = "429"
_CLASS_NAMES = frozenset({"RateLimitError", "ResourceExhausted", "TooManyRequests"})
"""Of litellm and the clients of providers, of Google's API core, and of others; none of them is imported for this."""
_STATUS = "RESOURCE_EXHAUSTED"


@dataclass(frozen=True, kw_only=True)
class BackoffPolicy:
    """How long runs wait after a rate limit, and how often each is tried."""

    first_seconds: float = 2.0

    factor: float = 2.0
    """How much longer each further wait is, until a run succeeds."""

    max_seconds: float = 120.0

    max_attempts: int = 8
    """How often a run is tried before it is recorded as an error."""

    def compute_wait(self, failures: int) -> float:
        """Return the seconds to wait after so many rate limits in a row, at least one."""
        # The exponent is bounded, because powers of floats overflow.
        return min(self.max_seconds, self.first_seconds * self.factor ** min(failures - 1, 60))


def is_rate_limit(error: BaseException | None) -> bool:
    """Return whether an error, or one that caused it, is a rate limit of a model's provider."""
    seen: set[int] = set()
    # Chains of causes can be circular.
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if _is_rate_limit(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_rate_limit(error: BaseException) -> bool:
    codes = [str(getattr(error, name, None)) for name in ("code", "status_code", "status")]
    names = {each.__name__ for each in type(error).__mro__}
    return _TOO_MANY_REQUESTS in codes or _STATUS in codes or bool(names & _CLASS_NAMES) or _STATUS in str(error)
