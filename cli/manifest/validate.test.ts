/** Checks of a manifest without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import { validate } from "./validate.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: quill
    provider: x-quill
    proxy: { enabled: true }
  - name: other
    provider: x-quilt
    proxy: { enabled: true }
`;

/** Returns the findings about the manifest and this file of `x-quill`. */
function listFindings(source: string) {
  const { document } = parseManifest(source);
  assert.ok(document);
  const { data, findPosition } = document;
  return validate(MANIFEST, undefined, { "x-quill": { shown: "x-quill.yaml", source, data, findPosition } });
}

test("a provider whose file has faults is reported there only, and one that has no file in the manifest", () => {
  const found = listFindings("authType: noone\nbaseURL: https://api.quill.example\n");
  assert.ok(found.some(({ rule }) => rule === "own-provider"));
  const missing = found.filter(({ rule }) => rule === "provider-not-supported");
  assert.deepEqual(
    missing.map(({ path }) => path),
    ["$.integrations[1].provider"],
  );
});

test("what a provider's file lacks is named with what belongs there", () => {
  const lines = ["authType: none", "baseURL: https://api.quill.example", "connector:", "  objects: {}"];
  const messages = listFindings(lines.join("\n")).map(({ message }) => message);
  const said = "connector.sources: missing; it has the members documentation, checked";
  assert.ok(messages.includes(said), messages.join("\n"));
});

test("objects and fields that the file of a provider beside the manifest does not have are warnings", () => {
  const provider = `
authType: none
baseURL: https://api.quill.example
connector:
  defaults: { modes: [read], list: { path: "/{path}" }, records: items, paging: { cursor: { from: next, to: query.after } }, changedPath: updated, since: {} }
  objects:
    pens: { metadata: { fields: { ink: { type: string } } } }
    nibs: {}
  errors: { message: [error] }
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-29, made up" }
`;
  const manifest = `
specVersion: 1.0.0
integrations:
  - name: quill
    provider: x-quill
    read:
      objects:
        - { objectName: pens, destination: hook, schedule: "0 * * * *", requiredFields: [{ fieldName: inq }, { fieldName: ink }] }
        - { objectName: pans, destination: hook, schedule: "0 * * * *", optionalFieldsAuto: all }
        - { objectName: nibs, destination: hook, schedule: "0 * * * *", optionalFields: [{ fieldName: width }] }
`;
  const { document } = parseManifest(provider);
  assert.ok(document);
  const { data, findPosition } = document;
  const file = { shown: "x-quill.yaml", source: provider, data, findPosition };
  const found = validate(manifest, undefined, { "x-quill": file });
  assert.deepEqual(
    found.flatMap(({ severity, rule, path, remedy }) =>
      rule === "destination-not-found" || rule === "destination-exists"
        ? []
        : [[severity, rule, path, remedy]],
    ),
    [
      [
        "warning",
        "unknown-field",
        "$.integrations[0].read.objects[0].requiredFields[0].fieldName",
        'Did you mean "ink"?',
      ],
      ["warning", "not-built-yet", "$.integrations[0].read.objects[1].objectName", 'Did you mean "pens"?'],
    ],
  );
});

test("Snowflake is only backfilled whole, and Google Calendar's events for 28 days", () => {
  const rules = (provider: string, objectName: string, period: string) =>
    validate(`
specVersion: 1.0.0
integrations:
  - name: limited
    provider: ${provider}
    read:
      objects:
        - objectName: ${objectName}
          destination: changes
          schedule: "0 * * * *"
          requiredFields: [{ fieldName: id }]
          backfill: { defaultPeriod: { ${period} } }
`)
      .map(({ rule }) => rule)
      .filter((rule) => rule.endsWith("-backfill"));
  assert.deepEqual(rules("snowflake", "orders", "days: 30"), ["snowflake-backfill"]);
  assert.deepEqual(rules("snowflake", "orders", "fullHistory: true"), []);
  assert.deepEqual(rules("google", "events", "days: 29"), ["google-calendar-backfill"]);
  assert.deepEqual(rules("google", "events", "fullHistory: true"), ["google-calendar-backfill"]);
  assert.deepEqual(rules("google", "events", "days: 28"), []);
});
