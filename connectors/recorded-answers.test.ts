/**
 * Answers as other open-source connectors recorded them at the providers (amp-labs/connectors, `providers/<provider>/test`, as of 30bbef6d8, 2026-08-21), rebuilt with
 * our own values: what matters is their shape, which no simulation of ours made.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Checkpoint, SourceRecord } from "../connector-kit/read-connector.ts";
import { planRead } from "../connector-kit/testing/order-fixture.ts";
import { replay } from "../connector-kit/testing/replay.ts";
import { withAccount } from "../connector-kit/calls/with-account.ts";
import { isJsonObject, type JsonObject } from "../ground/json.ts";
import { CONNECTORS } from "./connectors.gen.ts";

type Answer = Parameters<typeof replay>[0];

/** Reads to the end from recorded answers; returns the records and the paths that were asked for. */
async function readRecorded(provider: string, objectName: string, ...answers: Answer[]) {
  const connector = CONNECTORS[provider];
  assert.ok(connector);
  const { read } = withAccount(connector, { values: {} });
  assert.ok(read);
  const { fetch, requests } = replay(...answers);
  const records: SourceRecord[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await read.readPage(planRead(objectName), checkpoint, fetch);
    records.push(...page.records);
    checkpoint = page.next;
  } while (checkpoint);
  return { records, paths: requests.map(({ path }) => path), bodies: requests.map(({ body }) => body) };
}

const reported = ({ records }: { records: SourceRecord[] }) =>
  records.map(({ id, changeTime }) => [id, changeTime?.toISOString()]);

const ticket = (id: number, updatedAt: string): JsonObject => ({
  cc_emails: ["ada@quill.example"],
  fwd_emails: [],
  fr_escalated: false,
  spam: false,
  email_config_id: null,
  group_id: 2,
  priority: 1,
  requester_id: 5,
  source: 2,
  status: 2,
  subject: "Printer",
  to_emails: null,
  id,
  type: "Lead",
  created_at: "2026-08-17T12:02:50Z",
  updated_at: updatedAt,
  due_by: "2026-08-20T11:30:00Z",
  is_escalated: false,
  custom_fields: { category: "Default" },
});

test("Freshdesk: a recorded list of tickets gives every ticket with its time of change, then that of spam follows", async () => {
  const next = "https://quill.freshdesk.com/api/v2/tickets?page=2";
  const read = await readRecorded(
    "freshdesk",
    "tickets",
    {
      status: 200,
      headers: { link: `<${next}>; rel="next"` },
      body: [ticket(17, "2026-08-17T12:02:06Z"), ticket(18, "2026-08-17T12:02:51Z")],
    },
    { status: 200, body: [ticket(18, "2026-08-17T12:02:51Z")] },
    { status: 200, body: [] },
  );
  assert.deepEqual(reported(read), [
    ["17", "2026-08-17T12:02:06.000Z"],
    ["18", "2026-08-17T12:02:51.000Z"],
  ]);
  // Pages go on by the time of the last change, a second before it, because the vendor's page says no more than "since".
  const sinceIn = (path = "") => new URL(path, "https://x.invalid").searchParams.get("updated_since");
  assert.deepEqual(read.paths.map(sinceIn), [
    "1970-01-01T00:00:00Z",
    "2026-08-17T12:02:50Z",
    "1970-01-01T00:00:00Z",
  ]);
  assert.match(read.paths[2] ?? "", /filter=spam/);
});

test("Marketo: a recorded answer without records has warnings in place of a list, and is no failure", async () => {
  const { records } = await readRecorded("marketo", "programs", {
    status: 200,
    body: {
      success: true,
      errors: [],
      requestId: "a024#1949367df25",
      warnings: ["No assets found for the given search criteria."],
    },
  });
  assert.deepEqual(records, []);
});

test("Salesloft: behind a recorded page that is not the last, a read goes on at the time of its last record", async () => {
  const account = (id: number) => ({
    id,
    created_at: "2026-06-07T10:51:48.966580-04:00",
    updated_at: "2026-06-07T10:51:48.966580-04:00",
    name: "Quill Ltd",
    domain: "quill.example",
    custom_fields: {},
    tags: [],
  });
  const page = (current: number, next: number | null, data: JsonObject[]): Answer => ({
    status: 200,
    body: {
      metadata: {
        filtering: {},
        paging: { per_page: 25, current_page: current, next_page: next, prev_page: null },
        sorting: { sort_by: "updated_at", sort_direction: "ASC NULLS LAST" },
      },
      data,
    },
  });
  const read = await readRecorded(
    "salesloft",
    "accounts",
    page(1, 2, [account(48371814)]),
    page(2, null, [account(48371815)]),
  );
  assert.deepEqual(reported(read), [
    ["48371814", "2026-06-07T14:51:48.966Z"],
    ["48371815", "2026-06-07T14:51:48.966Z"],
  ]);
  // Times have microseconds: what changed in the same millisecond comes once more.
  assert.match(
    decodeURIComponent(read.paths[1] ?? ""),
    /updated_at\[gte\]=2026-06-07T14:51:48\.966Z&page=1$/,
  );
});

test("QuickBooks: a recorded answer counts from 1 around its list, and has the entry’s own names", async () => {
  const connector = CONNECTORS["quickbooks"];
  assert.ok(connector);
  const { read } = withAccount(connector, { values: { realmId: "934145" } });
  assert.ok(read);
  const { fetch } = replay({
    status: 200,
    body: {
      QueryResponse: {
        startPosition: 1,
        maxResults: 1,
        Account: [
          {
            Id: "94",
            SyncToken: "0",
            AccountType: "Accounts Receivable",
            Active: false,
            MetaData: {
              CreateTime: "2026-09-12T13:20:34-07:00",
              LastUpdatedTime: "2026-09-13T13:20:34-07:00",
            },
            Name: "Pens (deleted)",
          },
        ],
      },
      time: "2026-11-13T12:35:57.651-07:00",
    },
  });
  const { records, next } = await read.readPage(planRead("account"), undefined, fetch);
  assert.deepEqual(reported({ records }), [["94", "2026-09-13T20:20:34.000Z"]]);
  const { fetch: empty } = replay({
    status: 200,
    body: { QueryResponse: {}, time: "2026-11-13T12:35:58.651-07:00" },
  });
  const end = await read.readPage(planRead("account"), next, empty);
  assert.deepEqual([end.records, end.next], [[], undefined]);
});

const conversation = (id: string, updatedAt: number): JsonObject => ({
  type: "conversation",
  id,
  created_at: 1_715_707_193,
  updated_at: updatedAt,
  waiting_since: null,
  snoozed_until: null,
  source: { type: "conversation", id: "107", subject: "", body: "<p>Ink?</p>", attachments: [], url: null },
  contacts: { type: "contact.list", contacts: [{ type: "contact", id: "66439cea", external_id: "87" }] },
  admin_assignee_id: null,
  open: false,
  state: "closed",
  tags: { type: "tag.list", tags: [] },
});

test("Intercom: a recorded page names the next one in an object, and the last one has no such member", async () => {
  const around = { type: "conversation.list", total_count: 3 };
  const read = await readRecorded(
    "intercom",
    "conversations",
    {
      status: 200,
      body: {
        ...around,
        pages: {
          type: "pages",
          next: { page: 2, starting_after: "WzE3MTU=" },
          page: 1,
          per_page: "2",
          total_pages: 2,
        },
        conversations: [conversation("2", 1_715_707_194), conversation("3", 1_715_707_195)],
      },
    },
    {
      status: 200,
      body: {
        ...around,
        pages: { type: "pages", page: 2, per_page: "2", total_pages: 2 },
        conversations: [conversation("4", 1_715_707_196)],
      },
    },
  );
  assert.deepEqual(reported(read), [
    ["2", "2024-05-14T17:19:54.000Z"],
    ["3", "2024-05-14T17:19:55.000Z"],
    ["4", "2024-05-14T17:19:56.000Z"],
  ]);
  assert.deepEqual(read.paths, ["/conversations/search", "/conversations/search"]);
  const [, next] = read.bodies;
  assert.ok(isJsonObject(next));
  assert.deepEqual(next["pagination"], { per_page: 150, starting_after: "WzE3MTU=" });
});

test("Keap: a recorded list of tags has the address of the next page where its description has a token", async () => {
  const tag = (id: string): JsonObject => ({ id, name: "Reader", description: "", category: { id: "10" } });
  const next = "https://api.infusionsoft.com/crm/rest/v2/tags/?page_size=1000&page_token=92";
  const read = await readRecorded(
    "keap",
    "tags",
    { status: 200, body: { tags: [tag("91"), tag("92")], next_page_token: next } },
    { status: 200, body: { tags: [tag("93")], next_page_token: "" } },
  );
  assert.deepEqual(
    read.records.map(({ id }) => id),
    ["91", "92", "93"],
  );
  assert.deepEqual(read.paths, [
    "/crm/rest/v2/tags?page_size=1000",
    "/crm/rest/v2/tags?page_size=1000&page_token=92",
  ]);
});

/** The shape is that of Stripe's published fixtures (stripe/openapi, `openapi/fixtures3.json`). */
const subscription = (id: string, status: string): JsonObject => ({
  id,
  object: "subscription",
  cancel_at: null,
  canceled_at: status === "canceled" ? 1_767_225_600 : null,
  collection_method: "charge_automatically",
  created: 1_764_547_200,
  currency: "eur",
  customer: "cus_quill",
  items: { object: "list", data: [], has_more: false, url: `/v1/subscription_items?subscription=${id}` },
  livemode: false,
  metadata: {},
  status,
});

test("Stripe: canceled subscriptions are asked for, and a page goes on behind its last id", async () => {
  const around = { object: "list", url: "/v1/subscriptions" };
  const read = await readRecorded(
    "stripe",
    "subscriptions",
    { status: 200, body: { ...around, has_more: true, data: [subscription("sub_2", "active")] } },
    { status: 200, body: { ...around, has_more: false, data: [subscription("sub_1", "canceled")] } },
  );
  assert.deepEqual(reported(read), [
    ["sub_2", undefined],
    ["sub_1", undefined],
  ]);
  assert.deepEqual(read.paths, [
    "/v1/subscriptions?status=all&limit=100",
    "/v1/subscriptions?status=all&limit=100&starting_after=sub_2",
  ]);
});
