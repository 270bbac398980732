/** The curl of a call can be pasted into a shell. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCurl } from "./curl.ts";

test("a call is shown with its query, its body quoted for the shell, and no key", () => {
  assert.equal(
    buildCurl("http://h", "createTopic", { projectIdOrName: "a b", body: { name: "it's" } }),
    [
      "curl -X POST 'http://h/v1/projects/a%20b/topics' \\",
      '  -H "X-Api-Key: $BUSBAR_API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  --data-raw '{"name":"it'\\''s"}'`,
    ].join("\n"),
  );
});
