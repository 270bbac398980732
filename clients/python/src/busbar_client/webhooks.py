"""Messages that Busbar sends to a destination: signed as Standard Webhooks say."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from .types import Message

# As the specification recommends, and its libraries do: github.com/standard-webhooks/standard-webhooks, spec, "Verifying".
TOLERANCE_SECONDS = 5 * 60


class InvalidSignature(Exception):
    """A message that the destination's secret did not sign, or not within the last five minutes."""


def read_message(body: bytes | str, headers: Mapping[str, str], secret: str) -> Message:
    """Returns the message of a request to a destination's address, or raises `InvalidSignature`.

    `body` is the body as it came, not parsed; `secret` is the destination's, `whsec_…`.
    """
    plain = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, sent, signatures = (plain[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        sent_seconds = int(sent)
    except (KeyError, ValueError) as error:
        raise InvalidSignature(f"The headers of a signature are missing or malformed: {error}") from None
    if abs(time.time() - sent_seconds) > TOLERANCE_SECONDS:
        raise InvalidSignature("The message was signed more than five minutes ago, or the clocks differ")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("The secret is not base64: give the destination's, which begins with whsec_") from None
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{sent_seconds}.".encode() + raw
    expected = base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    given = (each.partition(",") for each in signatures.split(" "))
    # `any` over a list, so that the time says nothing about which signature it was.
    if not any([version == "v1" and hmac.compare_digest(value.encode(), expected) for version, _, value in given]):
        raise InvalidSignature("No signature is the destination's: is the body as it came, and the secret the destination's?")
    return cast(Message, json.loads(raw))
