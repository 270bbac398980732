/** Decisions of the policy, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, listHiddenFields, isHidden, parsePolicy } from "./policy.ts";

const policy = parsePolicy({
  rules: [
    { tool: "update_record", integration: "*", object: "contact", decision: "allow" },
    { tool: "delete_record", decision: "forbid" },
    { integration: "books", decision: "ask" },
    { object: "Invoice", decision: "forbid" },
    { tool: "call_api", object: "contact", decision: "allow" },
  ],
  hiddenFields: { Contact: ["SSN"], "*": ["secret"], person: ["address"] },
});

test("the first rule that fits decides, by any name of the object and in any case; else the default of the kind", () => {
  const update = { tool: "update_record", kind: "write" } as const;
  assert.equal(decide(policy, { ...update, integration: "books", object: "Contact" }), "allow");
  assert.equal(decide(policy, { ...update, integration: "crm", object: ["person", "contact"] }), "allow");
  assert.equal(decide(policy, { ...update, integration: "Books", object: "deal" }), "ask");
  assert.equal(decide(policy, { ...update, integration: "crm", object: "invoice" }), "forbid");
  assert.equal(decide(policy, { ...update, integration: "crm", object: "deal" }), "ask");
  const read = { tool: "get_record", kind: "read" } as const;
  assert.equal(decide(policy, { ...read, integration: "crm", object: "deal" }), "allow");
  assert.equal(
    decide(policy, { tool: "delete_record", kind: "delete", integration: "books", object: "contact" }),
    "forbid",
  );
});

test("a tool without an object fits no rule about an object", () => {
  assert.equal(decide(policy, { tool: "call_api", kind: "callApiWrite", integration: "crm" }), "forbid");
  assert.equal(decide(policy, { tool: "call_api", kind: "callApiRead", integration: "crm" }), "allow");
  assert.equal(decide(policy, { tool: "call_api", kind: "callApiRead", integration: "books" }), "ask");
});

test("hidden fields are those of every name of the object, with their parts", () => {
  const hidden = listHiddenFields(policy, ["contact", "person"]);
  assert.deepEqual([...hidden].toSorted(), ["address", "secret", "ssn"]);
  assert.ok(isHidden(hidden, "Ssn"));
  assert.ok(isHidden(hidden, "home", "Address.city"));
  assert.ok(isHidden(hidden, "address[0].city"));
  assert.ok(!isHidden(hidden, "addressee", "name"));
  assert.deepEqual([...listHiddenFields(policy, ["deal"])], ["secret"]);
});
