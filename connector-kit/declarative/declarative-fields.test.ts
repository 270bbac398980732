/** Fields that a description names: what every account has, as Mailchimp's OpenAPI file 3.0.55 lists it for a member. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../testing/replay.ts";
import { describeConnector } from "./describe-connector.ts";

/** `enum` of `status` in the body of `POST /lists/{list_id}/members`, whose `required` are `email_address` and `status`. */
const STATUSES = ["subscribed", "unsubscribed", "cleaned", "pending", "transactional"];

const { fields } = describeConnector("Quill", {
  defaults: { modes: ["read"], list: { path: "/{path}" }, paging: { none: true } },
  objects: {
    members: {
      metadata: {
        fields: {
          email_address: { type: "string", required: true },
          status: { type: "singleSelect", values: STATUSES, label: "Status" },
          last_changed: { type: "datetime", readOnly: true },
          list_id: { type: "reference", refersTo: ["lists"] },
        },
      },
    },
    lists: {},
  },
  errors: { message: ["detail"] },
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-27, Mailchimp's file" },
});

test("the values that a field may have are reported, and none where it may have any", async () => {
  const { requests, fetch } = replay();
  const described = await fields?.describe("members", fetch);
  const { status, email_address: address, last_changed: changed, list_id: list } = described?.fields ?? {};
  assert.deepEqual(
    status?.values,
    STATUSES.map((value) => ({ value, displayValue: value })),
  );
  assert.ok(address && !("values" in address) && !("referenceTo" in address));
  assert.deepEqual(
    [address.isRequired, address.readOnly, address.displayName],
    [true, false, "email_address"],
  );
  assert.deepEqual([changed?.isRequired, changed?.readOnly], [false, true]);
  assert.deepEqual([list?.referenceTo, status?.displayName], [["lists"], "Status"]);
  assert.equal(requests.length, 0);
});

test("fields of an object that the description does not describe are not made up", async () => {
  assert.equal(fields?.describes?.("lists"), false);
  await assert.rejects(
    async () => fields?.describe("lists", replay().fetch),
    /the fields of "lists" are not described/,
  );
});
