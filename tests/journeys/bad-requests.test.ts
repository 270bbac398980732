/** Requests that are wrong before any provider is asked: each is told so in one Problem and leaves nothing behind. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { assertProblem } from "./assert-problem.ts";
import { readTraces } from "./traces.ts";

const busbar = await shareTestBusbar();

const ids = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts", "companies"] });

describe("a request that is wrong", () => {
  const create = { groupRef: "acme", type: "create", record: { email: "bad@example.com" } };
  const WRITE = "/write/v1/projects/default/integrations/hubspot/objects/contacts";

  interface Case {
    title: string;
    send: () => Promise<Answer>;
    status: number;
    type: string;
    says?: RegExp;
    issue?: string;
  }

  const write = (body: unknown, object = "contacts", headers?: Record<string, string>) =>
    busbar.write("hubspot", object, body, headers);

  const cases: Case[] = [
    {
      title: "to a path that there is not",
      send: () => busbar.call("GET", "/v1/nothing/here"),
      status: 404,
      type: "unknown-path",
    },
    {
      title: "to the root of a surface",
      send: () => busbar.call("GET", "/write/v1"),
      status: 404,
      type: "unknown-path",
    },
    {
      title: "with a percent sign that encodes nothing",
      send: () => busbar.call("GET", "/v1/projects/%zz"),
      status: 400,
      type: "invalid-request",
    },
    {
      title: "with a map that holds nothing",
      send: () =>
        busbar.inProject("PUT", "/providers/hubspot/object-metadata", { groupRef: "acme", fields: {} }),
      status: 400,
      type: "invalid-request",
      says: /fields: must hold at least 1 member/,
      issue: "fields",
    },
    {
      title: "with a NUL in the address",
      send: () => busbar.inProject("GET", "/destinations/%00"),
      status: 400,
      type: "invalid-request",
      says: /NUL/,
    },
    {
      title: "with a query parameter in another spelling",
      send: () => busbar.call("POST", `${WRITE}?dryrun=true`, create),
      status: 400,
      type: "invalid-request",
      says: /query dryrun: .* Did you mean "dryRun"\?/,
      issue: "dryrun",
    },
    {
      title: "with a query parameter in its body",
      send: () => write({ ...create, dryRun: true }),
      status: 400,
      type: "invalid-request",
      says: /`dryRun` is a query parameter/,
      issue: "dryRun",
    },
    {
      title: "with a header in its body",
      send: () => write({ ...create, idempotencyKey: "k" }),
      status: 400,
      type: "invalid-request",
      says: /`Idempotency-Key` is a header/,
      issue: "idempotencyKey",
    },
    {
      title: "with an unknown query parameter where none is possible",
      send: () => busbar.inProject("GET", "/topics?pageSize=1"),
      status: 400,
      type: "invalid-request",
      issue: "pageSize",
    },
    {
      title: "with malformed JSON",
      send: () => busbar.call("POST", WRITE, '{"groupRef": "acme",'),
      status: 400,
      type: "malformed-json",
    },
    {
      title: "with a member __proto__",
      send: () =>
        busbar.call("POST", WRITE, '{"groupRef":"acme","type":"create","record":{"__proto__":{"a":1}}}'),
      status: 400,
      type: "malformed-json",
    },
    {
      title: "with a number of too many digits",
      send: () =>
        busbar.call(
          "POST",
          WRITE,
          '{"groupRef":"acme","type":"create","record":{"score":12345678901234567890}}',
        ),
      status: 400,
      type: "malformed-json",
      says: /12345678901234567890.*string/,
    },
    {
      title: "with a fraction of which more than the end would be lost",
      send: () =>
        busbar.call(
          "POST",
          WRITE,
          '{"groupRef":"acme","type":"create","record":{"score":12345678901234567890.5}}',
        ),
      status: 400,
      type: "malformed-json",
      says: /12345678901234567890.5.*string/,
    },
    {
      title: "with endless nesting around a long number",
      send: () => busbar.call("POST", WRITE, `${"[".repeat(100_000)}1234567890123456${"]".repeat(100_000)}`),
      status: 400,
      type: "malformed-json",
      says: /nested too deeply: 500 levels/,
    },
    {
      title: "with a name longer than any",
      send: () => busbar.inProject("GET", `/destinations/${"a".repeat(5_000)}`),
      status: 404,
      type: "unknown-path",
    },
    {
      title: "with the wrong media type",
      send: () =>
        busbar.call("POST", WRITE, "groupRef=acme", { "content-type": "application/x-www-form-urlencoded" }),
      status: 415,
      type: "unsupported-media-type",
      says: /Content-Type: application\/json/,
    },
    {
      title: "with 50 MB of JSON",
      send: () =>
        busbar.call("POST", WRITE, JSON.stringify({ ...create, filler: "x".repeat(50 * 1024 * 1024) })),
      status: 413,
      type: "body-too-large",
    },
    {
      title: "without a body",
      send: () => busbar.call("POST", WRITE),
      status: 400,
      type: "invalid-request",
      says: /needs a JSON body/,
    },
    {
      title: "with null for a body",
      send: () => busbar.call("POST", WRITE, "null"),
      status: 400,
      type: "invalid-request",
    },
    {
      title: "with a list for a body",
      send: () => busbar.call("POST", WRITE, [create]),
      status: 400,
      type: "invalid-request",
      says: /object/,
    },
    {
      title: "without the members it needs",
      send: () => write({ record: {} }),
      status: 400,
      type: "invalid-request",
      says: /groupRef/,
    },
    {
      title: "with a type that there is not",
      send: () => write({ ...create, type: "replace" }),
      status: 400,
      type: "invalid-request",
      issue: "type",
    },
    {
      title: "for a group that has not installed",
      send: () => write({ ...create, groupRef: "nobody" }),
      status: 400,
      type: "invalid-request",
      issue: "groupRef",
    },
    {
      title: "for an integration that there is not",
      send: () => busbar.write("unknown", "contacts", create),
      status: 404,
      type: "not-found",
      says: /unknown/,
    },
    {
      title: "for an object that is not in the manifest",
      send: () => write(create, "deals"),
      status: 400,
      type: "invalid-request",
      says: /contacts, companies/,
    },
    {
      title: "for an object with a name full of dots and slashes",
      send: () => write(create, "..%2F..%2Fcontacts"),
      status: 400,
      type: "invalid-request",
    },
    {
      title: "with both a record and a batch",
      send: () => write({ ...create, batch: [{ record: {} }] }),
      status: 400,
      type: "invalid-request",
      says: /exactly one/,
    },
    {
      title: "with a batch of 101",
      send: () => {
        const batch = Array.from({ length: 101 }, () => ({ record: { email: "a@b.example" } }));
        return write({ groupRef: "acme", type: "create", batch });
      },
      status: 400,
      type: "invalid-request",
      says: /at most 100/,
    },
    {
      title: "with an empty batch",
      send: () => write({ groupRef: "acme", type: "create", batch: [] }),
      status: 400,
      type: "invalid-request",
      says: /at least 1 item/,
    },
    {
      title: "to update without an id",
      send: () => write({ ...create, type: "update" }),
      status: 400,
      type: "invalid-request",
      issue: "record.id",
    },
    {
      title: "to delete although deleting is not enabled",
      send: () => write({ groupRef: "acme", type: "delete", record: { id: "501" } }),
      status: 400,
      type: "invalid-request",
      says: /deletionSettings/,
    },
    {
      title: "to send headers to a provider that takes none",
      send: () => write({ ...create, headers: [{ key: "X-Any", value: "1" }] }),
      status: 400,
      type: "unsupported-by-provider",
      issue: "headers",
    },
    {
      title: "for an installation by an id that is no id",
      send: () => busbar.inProject("GET", "/integrations/hubspot/installations/not-an-id"),
      status: 404,
      type: "not-found",
    },
    {
      title: "for an operation that there is not",
      send: () => busbar.inProject("GET", "/operations/00000000-0000-7000-8000-000000000000"),
      status: 404,
      type: "not-found",
    },
    {
      title: "with a query that is out of bounds",
      send: () =>
        busbar.inProject(
          "GET",
          `/integrations/hubspot/installations/${ids.installationId}/operations?pageSize=0`,
        ),
      status: 400,
      type: "invalid-request",
      says: /pageSize/,
    },
    {
      title: "to install for a group that is not connected",
      send: () =>
        busbar.inProject("POST", "/integrations/hubspot/installations", {
          groupRef: "stranger",
          config: { content: {} },
        }),
      status: 422,
      type: "semantically-invalid",
      issue: "groupRef",
    },
    {
      title: "to install a second time",
      send: () =>
        busbar.inProject("POST", "/integrations/hubspot/installations", {
          groupRef: "acme",
          config: { content: {} },
        }),
      status: 409,
      type: "conflict",
    },
    {
      title: "to install with a configuration that does not fit",
      send: () =>
        busbar.inProject("POST", "/integrations/hubspot/installations", {
          groupRef: "acme",
          config: { content: { write: { objects: { contact: {} } } } },
        }),
      status: 422,
      type: "invalid-config",
    },
    {
      title: "to connect to a provider that there is not",
      send: () =>
        busbar.inProject("POST", "/connections:generate", {
          provider: "hubspott",
          groupRef: "g",
          consumerRef: "c",
        }),
      status: 422,
      type: "semantically-invalid",
      issue: "provider",
    },
    {
      title: "to connect without credentials",
      send: () =>
        busbar.inProject("POST", "/connections:generate", {
          provider: "hubspot",
          groupRef: "g",
          consumerRef: "c",
        }),
      status: 400,
      type: "invalid-request",
    },
    {
      title: "to remove a connection that is in use",
      send: () => busbar.inProject("DELETE", `/connections/${ids.connectionId}`),
      status: 409,
      type: "conflict",
    },
  ];

  for (const { title, send, status, type, says, issue } of cases) {
    test(`${title} is a Problem ${status} and leaves nothing behind`, async () => {
      const before = await readTraces(busbar);
      const problem = assertProblem(await send(), status, type);
      if (says) assert.match(problem.detail, says);
      if (issue) assert.equal(problem.issues?.[0]?.name, issue);
      assert.deepEqual(await readTraces(busbar), before);
    });
  }

  test("with a method that the path does not take is a Problem 405 that names those it takes", async () => {
    const answer = await busbar.inProject("PUT", "/integrations/hubspot");
    const problem = assertProblem(answer, 405, "method-not-allowed");
    assert.equal(answer.headers.get("allow"), "GET, DELETE");
    assert.match(problem.detail, /GET, DELETE/);
  });

  test("that a browser asks about first, with or without saying what for, is allowed from any origin", async () => {
    const asked: Record<string, string>[] = [
      {},
      { origin: "https://app.example", "access-control-request-method": "PATCH" },
    ];
    for (const headers of asked) {
      const answer = await busbar.call("OPTIONS", "/v1/projects", undefined, { "x-api-key": "", ...headers });
      assert.equal(answer.status, 204, answer.text);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      assert.match(answer.headers.get("access-control-allow-methods") ?? "", /PATCH/);
    }
  });

  test("to update with a number for an id is answered like the same id as text", async () => {
    const body = { groupRef: "acme", type: "update", record: { id: 501, firstname: "Number" } };
    const answer = await write(body);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.result.recordId, "501");
  });
});
