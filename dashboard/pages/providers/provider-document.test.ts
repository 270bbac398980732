/** Faults of a provider's document are shown where they are in the text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDocument, readDocument } from "./provider-document.ts";

const TEXT = `displayName: Quill # ours
fixedHeaders:
  - { name: Version, valueTemplate: "2" }
connector:
  objects:
    a.b:
      create: { path: /v3 }
`;

test("a path leads to its value, to the key of a map or list, or to what a missing member is missing in", () => {
  const { document, faults, faultAt } = readDocument(TEXT);
  assert.deepEqual(faults, []);
  assert.deepEqual(document?.["displayName"], "Quill");
  const shown = (path: string) => {
    const { from, to, line } = faultAt(path, "is wrong");
    return `${line}: ${TEXT.slice(from, to)}`;
  };
  assert.equal(shown("displayName"), "1: Quill");
  assert.equal(shown("fixedHeaders[0].valueTemplate"), '3: "2"');
  assert.equal(shown("connector.objects.a.b.create.path"), "7: /v3");
  assert.equal(shown("connector.objects.a.b.create.method"), "7: create");
  assert.equal(shown("connector.objects"), "5: objects");
  assert.equal(shown("baseURL"), "1: ");
  assert.equal(shown("fixedHeaders[7].name"), "2: fixedHeaders");
  assert.equal(faultAt("baseURL", "missing").message, "baseURL: missing");
});

test("what is no YAML, or no object, is a fault with its place; JSON is read too", () => {
  const [fault] = readDocument("displayName: Quill\nfixedHeaders: [\n").faults;
  assert.ok(fault && fault.line >= 2, JSON.stringify(fault));
  for (const text of ["", "- one", "text", "null"]) {
    const { document, faults } = readDocument(text);
    assert.equal(document, undefined);
    assert.equal(faults.length, 1);
  }
  const document = { displayName: "Quill", connector: { objects: {} } };
  assert.deepEqual(readDocument(JSON.stringify(document)).document, document);
  assert.deepEqual(readDocument(formatDocument(document)).document, document);
  assert.equal(
    formatDocument({ connector: { objects: {} }, z: 1, displayName: "Quill" }).indexOf("displayName"),
    0,
  );
});
