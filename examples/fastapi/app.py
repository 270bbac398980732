"""Connects customers' HubSpot accounts, keeps a live copy of their contacts in PostgreSQL, and writes back."""

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import httpx
import psycopg
import uvicorn
from busbar_client import AsyncBusbar, BusbarError, InvalidSignature, read_message
from fastapi import Body, FastAPI, HTTPException, Request, Response

DATABASE_URL = os.environ["DATABASE_URL"]
TABLE = """CREATE TABLE IF NOT EXISTS people (
  customer text, id text, email text, given_name text, title text, deleted boolean, changed text, read text,
  PRIMARY KEY (customer, id))"""
# The version that changed later wins, so messages may come twice and in any order.
UPSERT = """INSERT INTO people VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
  ON CONFLICT (customer, id) DO UPDATE SET (email, given_name, title, deleted, changed, read)
    = (excluded.email, excluded.given_name, excluded.title, excluded.deleted, excluded.changed, excluded.read)
  WHERE (excluded.changed, excluded.read) >= (people.changed, people.read)"""

app = FastAPI()
signing_key = ""


def busbar() -> AsyncBusbar:
    return AsyncBusbar(os.environ["BUSBAR_URL"], api_key=os.environ["BUSBAR_API_KEY"], project="default")


@app.post("/busbar", status_code=204)
async def receive(request: Request) -> Response:
    try:
        message: Any = read_message(await request.body(), request.headers, signing_key)
    except InvalidSignature:
        raise HTTPException(401) from None
    if message.get("action") == "read":
        await store(message["groupRef"], message.get("result") or await download(message["resultInfo"]["downloadUrl"]))
    # An answer that is not a success, also of an error above, makes Busbar send the message again.
    return Response(status_code=204)


async def store(customer: str, records: list[dict[str, Any]]) -> None:
    async with await psycopg.AsyncConnection.connect(DATABASE_URL) as database:
        for record in records:
            person = record.get("mappedFields", {})
            fields = [person.get(name) for name in ("email", "givenName", "title")]
            times = [record.get("changeTime", ""), record["readTime"]]
            await database.execute(UPSERT, [customer, record["id"], *fields, record.get("deleted", False), *times])


async def download(url: str) -> list[dict[str, Any]]:
    async with httpx.AsyncClient() as client:
        return (await client.get(url)).raise_for_status().json()


# Your own sign-in tells who the customer is; here it is the address.
@app.get("/{customer}/people")
async def list_people(customer: str) -> list[dict[str, Any]]:
    async with await psycopg.AsyncConnection.connect(DATABASE_URL) as database:
        query = "SELECT id, email, given_name, title FROM people WHERE customer = %s AND NOT deleted ORDER BY email"
        rows = await (await database.execute(query, [customer])).fetchall()
    return [dict(zip(("id", "email", "givenName", "title"), row)) for row in rows]


@app.post("/{customer}/connect")
async def connect(customer: str) -> dict[str, str]:
    """Returns the address of the consent page, for the customer's browser."""
    consent: Any = {"projectIdOrName": "default", "provider": "hubspot", "groupRef": customer}
    async with busbar() as client:
        return {"open": await client.oauth_connect({**consent, "consumerRef": f"user-of-{customer}"})}


@app.post("/{customer}/install", status_code=201)
async def install(customer: str) -> dict[str, str]:
    """Begins to read: first everything, then what changes."""
    contacts = {"objectName": "contacts", "selectedFields": {"jobtitle": True}}
    content: Any = {"provider": "hubspot", "read": {"objects": {"contacts": contacts}}}
    async with busbar() as client:
        installation = await client.create_installation("people-fastapi", {"groupRef": customer, "config": {"content": content}})
    return {"installation": installation["id"]}


@app.put("/{customer}/people/{id}/title")
async def change_title(customer: str, id: str, title: str = Body(embed=True)) -> dict[str, Any]:
    """Writes to HubSpot; the copy has the change when it comes back with the next read."""
    record = {"id": id, "title": title}
    async with busbar() as client:
        try:
            written: Any = await client.write_records("people-fastapi", "person", {"groupRef": customer, "type": "update", "record": record})
        except BusbarError as error:
            raise HTTPException(error.status, error.problem.get("detail")) from None
    return {"operation": written["operationId"]}


async def set_up(address: str) -> str:
    """Creates what the project lacks: OAuth client, address for messages, integration. Returns the signing key."""
    with psycopg.connect(DATABASE_URL) as database:
        database.execute(TABLE)
    async with busbar() as client:
        if not any(each["provider"] == "hubspot" for each in await client.list_provider_apps()):
            scopes = ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"]
            keys = {"clientId": os.environ["HUBSPOT_CLIENT_ID"], "clientSecret": os.environ["HUBSPOT_CLIENT_SECRET"]}
            await client.create_provider_app({"provider": "hubspot", **keys, "scopes": scopes})
        destination: Any = {"name": "fastapi-app", "type": "webhook", "metadata": {"url": f"{address}/busbar"}}
        existing: Any = next((each for each in await client.list_destinations() if each["name"] == "fastapi-app"), None)
        if existing is None:
            await client.create_destination(destination)
        elif existing["metadata"]["url"] != destination["metadata"]["url"]:
            # The application may have moved since its last start.
            change = {"updateMask": ["metadata.url"], "destination": destination}
            await client.update_destination(existing["id"], change)
        # The manifest of the example for Express.
        manifest = Path(__file__).parent / "amp.yaml"
        await client.batch_upsert_integrations({"sourceYaml": manifest.read_text("utf8")})
        stored: Any = await client.get_destination("fastapi-app", include_secrets=True)
        return str(stored["secrets"]["webhookSigningKey"])


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "8000"))))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    signing_key = asyncio.run(set_up(address))
    print(f"People at {address}/acme/people", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
