"""The client: every operation of the API as a typed method, for one server and, if it is named, one project."""

import asyncio
import inspect
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

import httpx

from .operations import AsyncOperations, Operations
from .retry import Retries, takes_idempotency_key

Token = str | Callable[[], str]
AsyncToken = str | Callable[[], str | Awaitable[str]]


class BusbarError(Exception):
    """An answer that is not a success. `problem` is the body of the answer: RFC 9457 Problem Details."""

    def __init__(self, response: httpx.Response) -> None:
        try:
            body = response.json()
        except ValueError:
            body = response.text
        self.status = response.status_code
        self.problem: dict[str, Any] = body if isinstance(body, dict) else {"detail": str(body)}
        self.request_id: str | None = response.headers.get("X-Request-Id")
        said = self.problem.get("detail") or self.problem.get("title") or response.reason_phrase
        super().__init__(f"{self.status}: {said}")


class NoAnswerError(Exception):
    """A request that got no answer: whether it was carried out is not known. `__cause__` is the error of httpx.

    `attempts` is how often it was sent. `idempotency_key` is the key of a write or a read: the same call with this key is safe,
    it is carried out once.
    """

    def __init__(self, request: httpx.Request, attempts: int, cause: httpx.TransportError) -> None:
        self.attempts = attempts
        self.idempotency_key: str | None = request.headers.get("Idempotency-Key")
        address = str(request.url.copy_with(query=None))
        times = "" if attempts == 1 else f" after {attempts} attempts"
        super().__init__(f"{request.method} {address}: no answer{times} ({cause or type(cause).__name__})")


class _Calls:
    """What both clients have: how a request is made of a call, and what is returned of its answer."""

    _build: Callable[..., httpx.Request]

    def __init__(self, api_key: str | None, token: object, project: str | None, retries: Retries) -> None:
        if (api_key is None) == (token is None):
            raise TypeError("Give either api_key or token")
        self._api_key = api_key
        self._default_project = project
        self._retries = retries

    def _project(self, project: str | None) -> str:
        named = project or self._default_project
        if not named:
            raise TypeError("The call needs a `project`, or the client")
        return quote(named, safe="")

    def _request(self, method: str, path: str, token: str | None, call: dict[str, Any]) -> httpx.Request:
        given = {name: {k: v for k, v in (call.pop(name) or {}).items() if v is not None} for name in ("params", "headers")}
        headers = given["headers"]
        headers.update({"X-Api-Key": self._api_key} if token is None else {"Authorization": f"Bearer {token}"})
        if takes_idempotency_key(method, path):
            headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        if call["content"] is not None:
            headers["Content-Type"] = "application/octet-stream"
        return self._build(method, path, params=given["params"], headers=headers, **call)

    @staticmethod
    def _answer(response: httpx.Response) -> Any:
        if not response.is_success:
            raise BusbarError(response)
        if not response.content:
            return None
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        return response.json() if kind == "application/json" else response.text


class Busbar(_Calls, Operations):
    """A client of Busbar's API. Every method returns the answer's body and raises `BusbarError` for an answer that is not a
    success, and `NoAnswerError` where there was none. Requests that are safe to repeat are repeated, see `Retries`.

    Give `api_key`, or `token`: a customer's or a person's, or a function that returns a fresh one before each request.
    `project` is the id or name of the project of every call that names none; `timeout` the seconds that one attempt may wait.
    `transport` replaces how requests are sent, see the documentation of httpx.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        token: Token | None = None,
        project: str | None = None,
        retries: Retries = Retries(),
        timeout: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(api_key, token, project, retries)
        self._token = token
        self._http = httpx.Client(base_url=url, timeout=timeout, transport=transport)
        self._build = self._http.build_request

    def __enter__(self) -> "Busbar":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _call(
        self, method: str, path: str, *, json: Any = None, content: bytes | None = None,
        params: dict[str, Any] | None = None, headers: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        token = self._token() if callable(self._token) else self._token
        call = {"json": json, "content": content, "params": params, "headers": headers}
        request = self._request(method, path, token, call)
        attempt = 0
        while True:
            try:
                response = self._http.send(request)
            except httpx.TransportError as error:
                wait = self._retries.wait_seconds(attempt, request, None)
                if wait is None:
                    raise NoAnswerError(request, attempt + 1, error) from error
            else:
                wait = self._retries.wait_seconds(attempt, request, response)
                if wait is None:
                    return self._answer(response)
            time.sleep(wait)
            attempt += 1


class AsyncBusbar(_Calls, AsyncOperations):
    """The same for asyncio. `token` may also be a coroutine function."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        token: AsyncToken | None = None,
        project: str | None = None,
        retries: Retries = Retries(),
        timeout: float = 60,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(api_key, token, project, retries)
        self._token = token
        self._http = httpx.AsyncClient(base_url=url, timeout=timeout, transport=transport)
        self._build = self._http.build_request

    async def __aenter__(self) -> "AsyncBusbar":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _call(
        self, method: str, path: str, *, json: Any = None, content: bytes | None = None,
        params: dict[str, Any] | None = None, headers: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        given = self._token() if callable(self._token) else self._token
        token = await given if inspect.isawaitable(given) else given
        call = {"json": json, "content": content, "params": params, "headers": headers}
        request = self._request(method, path, token, call)
        attempt = 0
        while True:
            try:
                response = await self._http.send(request)
            except httpx.TransportError as error:
                wait = self._retries.wait_seconds(attempt, request, None)
                if wait is None:
                    raise NoAnswerError(request, attempt + 1, error) from error
            else:
                wait = self._retries.wait_seconds(attempt, request, response)
                if wait is None:
                    return self._answer(response)
            await asyncio.sleep(wait)
            attempt += 1
