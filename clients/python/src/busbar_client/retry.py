"""Decides which requests are repeated, and when."""

import random
import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

SAFE_METHODS = ("GET", "HEAD", "PUT", "DELETE")
# Answers of proxies and servers that may be different a moment later.
UNCERTAIN_STATUSES = (408, 500, 502, 503, 504)
# The operations that take an idempotency key: those that start a write or a read.
KEYED_PATHS = re.compile(r"/(?:write|read)/v1/projects/[^/]+/integrations/[^/]+/objects/[^/:]+")


@dataclass(frozen=True)
class Retries:
    """How often a request is repeated after its first attempt, and after how many seconds.

    Repeated are requests that were refused because of a limit (429), or with a 503 that says when to come back: nothing was
    done. After any other failure only those that are safe to repeat: GET, HEAD, PUT, DELETE, and those with an
    `Idempotency-Key`.
    """

    most: int = 3
    #: Seconds before the first repetition where the answer names no time; doubled each time, and spread.
    base_seconds: float = 0.5
    #: A longer `Retry-After` than this is not waited for: the answer is returned.
    limit_seconds: float = 60

    def wait_seconds(self, attempt: int, request: httpx.Request, outcome: httpx.Response | None) -> float | None:
        """Returns the seconds until the next attempt, or None for none. Without an outcome the connection was lost."""
        if attempt >= self.most:
            return None
        is_safe = request.method in SAFE_METHODS or "Idempotency-Key" in request.headers
        pause = self.base_seconds * 2.0**attempt * random.uniform(0.5, 1)
        if outcome is None:
            return pause if is_safe else None
        given = retry_after_seconds(outcome)
        # A 503 without a time may come from a proxy that has lost the answer.
        was_refused = outcome.status_code == 429 or (outcome.status_code == 503 and given is not None)
        if not was_refused and not (is_safe and outcome.status_code in UNCERTAIN_STATUSES):
            return None
        if given is None:
            return pause
        return given if given <= self.limit_seconds else None


def takes_idempotency_key(method: str, path: str) -> bool:
    return method == "POST" and KEYED_PATHS.fullmatch(path) is not None


def retry_after_seconds(response: httpx.Response) -> float | None:
    """Returns the seconds that `Retry-After` asks for, in seconds or as a date."""
    value = response.headers.get("Retry-After", "")
    if value.isdecimal():
        return float(value)
    try:
        when: float = parsedate_to_datetime(value).timestamp()
        return max(0.0, when - time.time())
    except ValueError:
        return None
