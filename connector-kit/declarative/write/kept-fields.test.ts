/** Updates by a description of what the provider replaces as a whole: an object of fields, or a list of entries. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../ground/json.ts";
import type { RecordWrite } from "../../connector.ts";
import { orderWrite } from "../../testing/order-fixture.ts";
import { replay } from "../../testing/replay.ts";
import { describeConnector } from "../describe-connector.ts";

const updatePen = (fields: JsonObject): RecordWrite => orderWrite("pens", "update", { id: "5", fields });

const KEEPING = describeConnector("Quill", {
  defaults: {
    modes: ["update"],
    get: { path: "/{path}/{id}" },
    update: {
      method: "PATCH",
      path: "/{path}/{id}",
      keeps: [{ at: "custom" }, { at: "values", by: "id" }],
      together: [["owner.id", "team.id"]],
    },
  },
  objects: { pens: {} },
  errors: { message: ["error"] },
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-28, made up" },
}).write;

test("an update of a part of what the provider replaces as a whole keeps the rest, which is read before", async () => {
  const pen = { id: "5", name: "Quill", custom: { city: "Ely", vip: true, tier: "gold" } };
  const provider = replay({ status: 200, body: pen }, { status: 200, body: pen });
  await KEEPING?.write(updatePen({ custom: { tier: "lead", city: null } }), provider.fetch);
  assert.deepEqual(
    provider.requests.map(({ method, path, body }) => [method, path, body]),
    [
      ["GET", "/pens/5", undefined],
      ["PATCH", "/pens/5", { custom: { city: null, vip: true, tier: "lead" } }],
    ],
  );
});

test("an update of some entries of a list that the provider replaces keeps the others, by the member that tells which they are", async () => {
  const values = [
    { id: "1", content: "Ely" },
    { id: 2, content: null },
  ];
  const provider = replay({ status: 200, body: { id: "5", values } }, { status: 200, body: { id: "5" } });
  await KEEPING?.write(updatePen({ values: [{ id: "1", content: "York" }] }), provider.fetch);
  assert.deepEqual(provider.requests[1]?.body, {
    values: [
      { id: "1", content: "York" },
      { id: 2, content: null },
    ],
  });
});

test("an update of one of the fields that the provider writes as one sends the others as they are, unless they are cleared or empty", async () => {
  const pen = { id: "5", owner: { id: 7, name: "Ada" }, team: { id: 8, name: "Ink" } };
  const send = async (fields: JsonObject, found: JsonObject = pen) => {
    const provider = replay({ status: 200, body: found }, { status: 200, body: found });
    await KEEPING?.write(updatePen(fields), provider.fetch);
    return provider.requests.filter(({ method }) => method === "PATCH").map(({ body }) => body);
  };
  assert.deepEqual(await send({ owner: { id: 9 } }), [{ owner: { id: 9 }, team: { id: 8 } }]);
  assert.deepEqual(await send({ team: null }), [{ owner: { id: 7 }, team: null }]);
  assert.deepEqual(await send({ owner: { id: 9 } }, { id: "5", team: null }), [{ owner: { id: 9 } }]);
  const cleared = { owner: null, team: { id: 9 } };
  assert.deepEqual(await send(cleared), [cleared]);
  assert.deepEqual(await send({ name: "Pen" }), [{ name: "Pen" }]);
});

test("an update that leaves the whole alone, or clears it, reads nothing before; a record without it gets what is written", async () => {
  for (const fields of [{ name: "Pen" }, { custom: null }] as JsonObject[]) {
    const provider = replay({ status: 200, body: { id: "5" } });
    await KEEPING?.write(updatePen(fields), provider.fetch);
    assert.deepEqual(
      provider.requests.map(({ body }) => body),
      [fields],
    );
  }
  const bare = replay({ status: 200, body: { id: "5" } }, { status: 200, body: { id: "5" } });
  await KEEPING?.write(updatePen({ custom: { tier: "lead" } }), bare.fetch);
  assert.deepEqual(bare.requests[1]?.body, { custom: { tier: "lead" } });
  const shown = KEEPING?.prepare(updatePen({ custom: { tier: "lead" } }));
  assert.deepEqual(
    shown?.map(({ method, body }) => [method, body]),
    [
      ["GET", undefined],
      ["PATCH", { custom: { "*": "{custom.*}", tier: "lead" } }],
    ],
  );
});
