/** Ids and values of more digits than a double holds, from a vendor whose ids are JSON numbers and back to it. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import type { ProviderFetch } from "../calls/provider-fetch.ts";
import { orderWrite } from "../testing/order-fixture.ts";
import { describeConnector } from "./describe-connector.ts";
import { PLAN } from "./scan-fixture.ts";

/** Two neighbours that are one and the same double. */
const ADA = "9007199254740993";
const BOB = "9007199254740992";
const AGE = "999999999999999999";

const sent: string[] = [];
const server = createServer(async (request, response) => {
  const { method, url } = request;
  sent.push(`${method} ${url} ${await text(request)}`);
  const person = (id: string) => `{"id":${id},"age":${AGE},"price":1234567890123456.78,"half":0.5}`;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(method === "GET" ? `{"data":[${person(ADA)},${person(BOB)}]}` : person(ADA));
});
before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
after(() => server.close().closeAllConnections());

const fetch: ProviderFetch = async ({ method, path, headers = {}, body }) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const sends = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const answer = await globalThis.fetch(url, { method, headers, ...sends });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
};

const { read, write } = describeConnector("Quill", {
  ids: { number: true },
  defaults: {
    list: { path: "/people" },
    records: "data",
    create: { method: "POST", path: "/people" },
    update: { method: "PUT", path: "/people", idTo: "body.id" },
    delete: { method: "DELETE", path: "/people/{id}" },
  },
  objects: { people: {} },
  errors: { message: ["error"] },
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-26, tests" },
});

test("two ids that are the same double are read as two, with the digits of every value, in raw too", async () => {
  const page = await read?.readPage({ ...PLAN, fields: ["age", "price", "half"] }, undefined, fetch);
  const [ada, bob] = page?.records ?? [];
  assert.deepEqual([ada?.id, bob?.id], [ADA, BOB]);
  assert.deepEqual(ada?.raw, { id: ADA, age: AGE, price: "1234567890123456.78", half: 0.5 });
  assert.match(JSON.stringify(ada?.values), new RegExp(AGE));
});

test("what is deleted, updated and created is the record of exactly this id", async () => {
  sent.length = 0;
  await write?.write(orderWrite("people", "delete", { id: ADA, fields: {} }), fetch);
  await write?.write(orderWrite("people", "update", { id: ADA, fields: { age: AGE } }), fetch);
  const created = await write?.write(orderWrite("people", "create", { fields: { name: "Ada" } }), fetch);
  assert.deepEqual(created?.outcomes[0]?.success && created.outcomes[0].recordId, ADA);
  assert.deepEqual(sent.slice(0, 2), [`DELETE /people/${ADA} `, `PUT /people {"age":"${AGE}","id":${ADA}}`]);
});
