/** Mailchimp's requests and answers as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import type { Checkpoint, ReadPage } from "../../connector-kit/read-connector.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write, fields } = CONNECTORS["mailchimp"] ?? {};
assert.ok(read && write && fields);

const AUDIENCE = "9e67587f52";
/** The example of the documentation. */
const URIST = { email_address: "Urist.McVankab@freddiesjokes.com", hash: "62eeb292278cc15f5817cb78f7790b08" };

const member = {
  id: URIST.hash,
  email_address: URIST.email_address,
  status: "subscribed",
  merge_fields: { FNAME: "Urist" },
  last_changed: "2026-11-20T09:00:00+00:00",
};

test("a member is upserted by the hash of the address in lower case, as in the documentation", async () => {
  const { fetch, requests } = replay({ status: 200, body: member });
  const values = {
    email_address: URIST.email_address,
    status_if_new: "pending",
    merge_fields: { FNAME: "Urist" },
  };
  const order = { ...orderWrite(AUDIENCE, "upsert", { fields: values }), key: "email_address" };
  const { outcomes } = await write.write(order, fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === URIST.hash);
  assert.deepEqual(
    [requests[0]?.method, requests[0]?.path],
    ["PUT", `/3.0/lists/${AUDIENCE}/members/${URIST.hash}`],
  );
  assert.deepEqual(requests[0]?.body, values);
});

test("members are created in batches: each refusal is found by the address", async () => {
  const { fetch, requests } = replay({
    status: 200,
    body: {
      new_members: [member],
      updated_members: [],
      errors: [
        {
          email_address: "bob@example.com",
          error: "bob@example.com is already a list member",
          error_code: "ERROR_CONTACT_EXISTS",
        },
      ],
      total_created: 1,
      total_updated: 0,
      error_count: 1,
    },
  });
  const records = ["bob@example.com", URIST.email_address].map((address) => ({
    fields: { email_address: address, status: "subscribed" },
  }));
  const order = { ...orderWrite(AUDIENCE, "create", { fields: {} }), batch: true, records };
  const { outcomes } = await write.write(order, fetch);
  const [bob, urist] = outcomes;
  assert.ok(bob && !bob.success && bob.error.kind === "conflict");
  assert.ok(urist?.success && urist.recordId === URIST.hash);
  assert.equal(requests[0]?.path, `/3.0/lists/${AUDIENCE}`);
});

test("a member that is there already is a conflict, with the provider's sentence", async () => {
  const { fetch } = replay({
    status: 400,
    body: {
      type: "https://mailchimp.com/developer/marketing/docs/errors/",
      title: "Member Exists",
      status: 400,
      detail: "ada@example.com is already a list member. Use PUT to insert or update list members.",
      instance: "b1c2",
    },
  });
  const [outcome] = (await write.write(orderWrite(AUDIENCE, "create", { fields: {} }), fetch)).outcomes;
  assert.ok(outcome && !outcome.success && outcome.error.kind === "conflict");
  assert.match(outcome.error.message, /already a list member/);
});

test("members are listed in the order of change, and go on behind the time of the last one", async () => {
  const answer = { status: 200, body: { members: [member], list_id: AUDIENCE, total_items: 7 } };
  const { fetch, requests } = replay(answer, answer);
  const asked = planRead(AUDIENCE, { since: new Date("2026-11-20T00:00:00Z"), pageSize: 1 });
  const page = await read.readPage(asked, undefined, fetch);
  const url = new URL(requests[0]?.path ?? "", "https://x.invalid");
  assert.equal(url.pathname, `/3.0/lists/${AUDIENCE}/members`);
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    sort_field: "last_changed",
    sort_dir: "ASC",
    count: "1",
    // Mailchimp lists what changed after the bound.
    since_last_changed: "2026-11-19T23:59:59Z",
    offset: "0",
  });
  assert.equal(page.total, 7);
  await read.readPage(asked, page.next, fetch);
  const next = new URL(requests[1]?.path ?? "", "https://x.invalid").searchParams;
  assert.deepEqual([next.get("since_last_changed"), next.get("offset")], ["2026-11-20T08:59:59Z", "0"]);
  assert.deepEqual(page.records[0]?.changeTime, new Date("2026-11-20T09:00:00Z"));
});

/** 2,500 members, of which 20 have no time of change; `place` is where Mailchimp may sort these. */
const audience = (place: "first" | "last") => {
  const all = Array.from({ length: 2_500 }, (_, index) => ({
    id: index.toString(16).padStart(32, "0"),
    last_changed: (place === "first" ? index < 20 : index >= 2_480)
      ? ""
      : new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString().replace(".000Z", "+00:00"),
  }));
  return ({ path }: { path: string }): Reply => {
    const query = new URL(path, "https://x.invalid").searchParams;
    const [count, offset] = [Number(query.get("count")), Number(query.get("offset"))];
    const since = Date.parse(query.get("since_last_changed") ?? "1970-01-01T00:00:00Z");
    const found = all.filter(({ last_changed: time }) => time === "" || Date.parse(time) > since);
    const body = { members: found.slice(offset, offset + count), total_items: found.length };
    return { status: 200, body };
  };
};

test("members without a time of change do not end the list, wherever they are", async () => {
  for (const place of ["first", "last"] as const) {
    const { fetch, requests } = replay(audience(place));
    const ids = new Set<string>();
    let checkpoint: Checkpoint | undefined;
    do {
      const page: ReadPage = await read.readPage(planRead(AUDIENCE), checkpoint, fetch);
      for (const { id } of page.records) ids.add(id);
      checkpoint = page.next;
      assert.ok(requests.length < 50, "the scan ends");
    } while (checkpoint);
    assert.equal(ids.size, 2_500, place);
  }
});

test("members of whom none has a time of change cannot be read by it, and the read says so", async () => {
  const { fetch } = replay({ status: 200, body: { members: [{ ...member, last_changed: "" }] } });
  await assert.rejects(read.readPage(planRead(AUDIENCE), undefined, fetch), /no time of change/);
});

test("the merge fields of an audience are named within their member", async () => {
  const { fetch } = replay({
    status: 200,
    body: {
      merge_fields: [
        { merge_id: 1, tag: "SIZE", name: "Size", type: "dropdown", options: { choices: ["S", "M"] } },
      ],
    },
  });
  const described = await fields.describe(AUDIENCE, fetch);
  assert.deepEqual(described.fields["$['merge_fields']['SIZE']"], {
    fieldName: "$['merge_fields']['SIZE']",
    displayName: "Size",
    valueType: "singleSelect",
    providerType: "dropdown",
    readOnly: false,
    isCustom: true,
    isRequired: false,
    values: [
      { value: "S", displayValue: "S" },
      { value: "M", displayValue: "M" },
    ],
  });
  assert.equal(described.fields["email_address"]?.isRequired, true);
});
