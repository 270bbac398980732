/** Providers that builders add: what a description of theirs supports, and how large a document may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOwnProvider } from "./own-provider.ts";

const CONNECTION = { authType: "none", baseURL: "https://api.quill.example" };

test("a provider whose records can only be upserted supports writes", () => {
  const connector = {
    defaults: { modes: [] },
    objects: { people: { upsert: { method: "PUT", path: "/people/{value}", keys: ["email"] } } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  };
  const { own, faults } = checkOwnProvider("x-quill", { ...CONNECTION, connector });
  assert.deepEqual(faults, []);
  assert.equal(own?.info.support.write, true);
  assert.equal(own?.info.support.read, false);
});

test("the size of a document counts in bytes", () => {
  const { faults } = checkOwnProvider("x-quill", { ...CONNECTION, displayName: "ß".repeat(33 * 1024) });
  assert.match(faults[0]?.message ?? "", /larger than 64 KiB/);
});

test("a description that needs a value that no connection has is refused with its name", () => {
  const connector = {
    defaults: {},
    objects: { people: { modes: ["read"], list: { path: "/{connection.company}" }, paging: { none: true } } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  };
  const { faults } = checkOwnProvider("x-quill", { ...CONNECTION, connector });
  assert.equal(faults.length, 1);
  assert.match(faults[0]?.message ?? "", /needs the value company of the connection/);
  const metadata = { input: [{ name: "company", displayName: "Company" }] };
  assert.deepEqual(checkOwnProvider("x-quill", { ...CONNECTION, metadata, connector }).faults, []);
});
