/** Guards the words for who did something. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeActor } from "./actor-words.ts";

const GONE = "01a207a6-8756-741b-9daf-d5d7f5dcbbd0";
const known = {
  keys: [{ id: "k1", label: "ci server" }],
  people: [
    { id: "p1", fullName: "Ada", primaryEmail: "ada@acme.example" },
    { id: "p2", primaryEmail: "bob@acme.example" },
  ],
};

test("a key has its label, a person a name or address, a user the reference, a call its operation", () => {
  const words = (actor: string) => describeActor(actor, known);
  assert.equal(words("apiKey:k1"), "API key ci server");
  assert.equal(words("builder:p1"), "Ada");
  assert.equal(words("builder:p2"), "bob@acme.example");
  assert.equal(words("consumer:kim:1"), "user kim:1");
  assert.equal(words("api:create-installation"), "API (create-installation)");
});

test("who is gone has the beginning of the id, and other words stay as they are", () => {
  assert.equal(describeActor(`apiKey:${GONE}`, known), "API key 01a207a6…");
  assert.equal(describeActor(`builder:${GONE}`, known), "person 01a207a6…");
  for (const actor of ["system", "nightly job", "consumer:", ""])
    assert.equal(describeActor(actor, known), actor);
});
