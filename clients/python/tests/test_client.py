"""The client against a running Busbar with the customer `acme`, whom tests/journeys/python-client.test.ts connects."""

import asyncio
import inspect
import json
import os
import time
import unittest
from collections.abc import Callable
from typing import Any

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from busbar_client import (
    AsyncBusbar,
    Busbar,
    BusbarError,
    InvalidSignature,
    NoAnswerError,
    Retries,
    async_rows,
    read_message,
    rows,
    sign_customer_token,
)

URL = os.environ["BUSBAR_URL"]
KEY = os.environ["BUSBAR_API_KEY"]
# Made by the published signer of Standard Webhooks, see the journey.
SIGNED = json.loads(os.environ["SIGNED_MESSAGES"])


def open_busbar() -> Busbar:
    return Busbar(URL, api_key=KEY, project="default")


def open_scripted(answer: Callable[[int], tuple[int, dict[str, str]] | None]) -> tuple[list[tuple[str, Any]], Busbar]:
    """Returns a client of a server whose answers the test decides, None for a lost connection, and the requests it got."""
    requests: list[tuple[str, Any]] = []

    def send(request: httpx.Request) -> httpx.Response:
        requests.append((request.method, request.headers.get("Idempotency-Key")))
        given = answer(len(requests))
        if given is None:
            raise httpx.ReadError("cut", request=request)
        return httpx.Response(given[0], headers=given[1], json={})

    retries = Retries(base_seconds=0.001)
    transport = httpx.MockTransport(send)
    return requests, Busbar("http://busbar.invalid", api_key="k", project="p", retries=retries, transport=transport)


class Operations(unittest.TestCase):
    def test_every_operation_of_the_api_has_a_method(self) -> None:
        described = httpx.get(f"{URL}/openapi.json").json()
        ids = [each["operationId"] for path in described["paths"].values() for each in path.values()]
        self.assertGreater(len(ids), 100)
        for client in (Busbar, AsyncBusbar):
            names = {name.replace("_", "") for name, _ in inspect.getmembers(client, inspect.isfunction)}
            self.assertEqual([name for name in ids if name.lower() not in names], [])

    def test_a_list_longer_than_a_page_is_returned_whole_each_row_once(self) -> None:
        with open_busbar() as busbar:
            for index in range(7):
                busbar.create_group({"groupRef": f"g{index}", "groupName": "G"})
            refs = [group["groupRef"] for group in rows(busbar.list_groups, page_size=3)]
        # Other tests add customers, too.
        self.assertEqual(sorted(refs), sorted({*refs, "acme", *(f"g{index}" for index in range(7))}))

    def test_the_asynchronous_client_writes_lists_and_raises(self) -> None:
        async def use() -> None:
            async def token() -> str:
                return "not a token"

            async with AsyncBusbar(URL, api_key=KEY, project="default") as busbar:
                record = {"email": "grace@example.com"}
                body: Any = {"groupRef": "acme", "type": "create", "record": record}
                written: Any = await busbar.write_records("hubspot", "contact", body)
                self.assertTrue(written["result"]["success"])
                found = [row async for row in async_rows(busbar.list_project_operations, group_ref="acme", page_size=1)]
                self.assertIn(written["operationId"], [row["id"] for row in found])
            async with AsyncBusbar(URL, token=token, project="default") as busbar:
                with self.assertRaises(BusbarError) as refused:
                    await busbar.list_topics()
                self.assertEqual(refused.exception.status, 401)

        asyncio.run(use())

    def test_text_is_returned_as_text_and_no_content_as_none(self) -> None:
        with open_busbar() as busbar:
            self.assertIn("Busbar", busbar.get_llms_text())
            topic = busbar.create_topic({"name": "t"})
            self.assertIsNone(busbar.delete_topic(topic["id"]))

    def test_a_call_without_a_project_and_clients_without_or_with_two_credentials_are_refused(self) -> None:
        with self.assertRaisesRegex(TypeError, "needs a `project`"):
            Busbar(URL, api_key="k").list_topics()
        for credentials in ({}, {"api_key": "k", "token": "t"}):
            with self.assertRaisesRegex(TypeError, "either api_key or token"):
                Busbar(URL, **credentials)


class Repeating(unittest.TestCase):
    def test_a_write_is_repeated_with_one_key_until_its_outcome_is_known(self) -> None:
        requests, busbar = open_scripted(lambda attempt: {1: None, 2: (502, {})}.get(attempt, (200, {})))
        busbar.write_records("i", "o", {"groupRef": "g", "type": "create"})
        self.assertEqual(len(requests), 3)
        (key,) = {key for _, key in requests}
        self.assertRegex(key, r"^[0-9a-f-]{36}$")

    def test_other_posts_are_not_repeated_after_an_unknown_outcome(self) -> None:
        for answer in (None, (502, {}), (503, {})):
            requests, busbar = open_scripted(lambda _, answer=answer: answer)
            with self.assertRaises(BusbarError if answer else NoAnswerError):
                busbar.create_topic({"name": "t"})
            self.assertEqual(requests, [("POST", None)])

    def test_a_call_without_an_answer_names_its_address_and_the_key_for_another_attempt(self) -> None:
        requests, busbar = open_scripted(lambda _: None)
        with self.assertRaises(NoAnswerError) as failed:
            busbar.write_records("i", "o", {"groupRef": "g", "type": "create"})
        self.assertEqual((failed.exception.attempts, failed.exception.idempotency_key), (4, requests[0][1]))
        address = "http://busbar.invalid/write/v1/projects/p/integrations/i/objects/o"
        self.assertEqual(str(failed.exception), f"POST {address}: no answer after 4 attempts (cut)")
        self.assertIsInstance(failed.exception.__cause__, httpx.ReadError)

    def test_a_refused_request_is_repeated_after_the_time_that_the_answer_names(self) -> None:
        # As Busbar itself proves that nothing was done: docs/guide/writing-records.md, "a 503 that says when to come back".
        for status in (429, 503):
            requests, busbar = open_scripted(lambda attempt: (status, {"Retry-After": "1"}) if attempt == 1 else (200, {}))
            started = time.monotonic()
            busbar.create_topic({"name": "t"})
            self.assertGreaterEqual(time.monotonic() - started, 1)
            self.assertEqual(len(requests), 2)

    def test_a_time_that_is_too_long_is_not_waited_for_as_seconds_or_as_a_date(self) -> None:
        for value in ("3600", "Fri, 31 Dec 2100 23:59:59 GMT"):
            requests, busbar = open_scripted(lambda _: (429, {"Retry-After": value}))
            with self.assertRaises(BusbarError):
                busbar.list_topics()
            self.assertEqual(len(requests), 1)

    def test_repeating_ends(self) -> None:
        requests, busbar = open_scripted(lambda _: (502, {}))
        with self.assertRaises(BusbarError):
            busbar.list_topics()
        self.assertEqual(len(requests), 4)


class Messages(unittest.TestCase):
    def read(self, name: str, **changes: Any) -> Any:
        return read_message(**{**SIGNED[name], "secret": SIGNED["secret"], **changes})

    def test_a_message_is_read_with_its_destinations_signature(self) -> None:
        self.assertEqual(self.read("fresh")["objectName"], "contact")
        self.assertEqual(self.read("fresh", body=SIGNED["fresh"]["body"].encode())["action"], "read")
        # While a secret is replaced, a message has the signatures of both.
        headers = SIGNED["fresh"]["headers"]
        both = {**headers, "webhook-signature": f"v1,b3RoZXI= {headers['webhook-signature']}"}
        self.assertEqual(self.read("fresh", headers={k.title(): v for k, v in both.items()})["action"], "read")

    def test_a_message_with_another_body_time_or_signature_is_refused(self) -> None:
        headers = SIGNED["fresh"]["headers"]
        for changes in (
            {"body": SIGNED["fresh"]["body"] + " "},
            {"headers": {}},
            {"headers": {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}},
            {"headers": {**headers, "webhook-timestamp": "now"}},
            {"headers": {**headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v1a,")}},
            {"headers": {**headers, "webhook-signature": "v1,ä"}},
            {"secret": SIGNED["otherSecret"]},
        ):
            with self.assertRaises(InvalidSignature):
                self.read("fresh", **changes)
        with self.assertRaises(InvalidSignature):
            self.read("old")


class CustomerTokens(unittest.TestCase):
    def test_a_token_is_accepted_for_its_own_group_only(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = serialization.Encoding.PEM
        public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
        private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
        with open_busbar() as busbar:
            busbar.create_group({"groupRef": "other", "groupName": "Other"})
            made = busbar.create_jwt_key({"label": "web", "algorithm": "RS256", "publicKeyPem": public})

        def token() -> str:
            return sign_customer_token(private_key_pem=private, key_id=made["kid"], group_ref="acme", consumer_ref="ada")

        with Busbar(URL, token=token, project="default") as page:
            self.assertEqual(len(page.list_connections(group_ref="acme")), 1)
            with self.assertRaises(BusbarError) as refused:
                page.list_connections(group_ref="other")
        self.assertEqual(refused.exception.status, 403)
        with self.assertRaisesRegex(ValueError, "1 to 600"):
            sign_customer_token(private_key_pem=private, key_id="k", group_ref="g", consumer_ref="c", life_seconds=601)


if __name__ == "__main__":
    unittest.main()
