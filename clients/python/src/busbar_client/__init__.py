"""Typed client of Busbar's API. The types of bodies are in `busbar_client.types`."""

from .client import AsyncBusbar, Busbar, BusbarError, NoAnswerError
from .customer_tokens import sign_customer_token
from .pages import async_rows, rows
from .retry import Retries
from .types import Message
from .webhooks import InvalidSignature, read_message

__all__ = [
    "AsyncBusbar",
    "Busbar",
    "BusbarError",
    "InvalidSignature",
    "Message",
    "NoAnswerError",
    "Retries",
    "async_rows",
    "read_message",
    "rows",
    "sign_customer_token",
]
