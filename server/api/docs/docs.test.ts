/** The API's own documentation. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROBLEM_TYPES } from "../../../ground/problem-types.ts";

describe("documentation", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });

  test("the OpenAPI document is served as generated, with examples on request", async () => {
    const text = await readFile(join(import.meta.dirname, "../../../openapi.json"), "utf8");
    const { body } = await on.call("GET", "/openapi.json");
    assert.deepEqual(body, JSON.parse(text));
    const shown = (await on.call("GET", "/openapi.json?examples=true")).body;
    const { post } = shown.paths["/v1/projects/{projectIdOrName}/topics"];
    const { example, examples } = post.requestBody.content["application/json"];
    assert.ok(example ?? examples, "no example");
    const { content } = shown.components.responses.Problem404;
    assert.ok(content["application/problem+json"].examples.problem.$ref);
  });

  test("the page of each problem type shows causes and remedies", async () => {
    for (const [slug, { title, causes }] of Object.entries(PROBLEM_TYPES)) {
      const page = await on.call("GET", `/docs/problems/${slug}`);
      assert.equal(page.status, 200, slug);
      assert.ok(page.text.includes(title) && page.text.includes("<h2>What to do</h2>"), slug);
      assert.ok(page.text.includes(causes.split(/[`"&']/)[0] ?? causes), slug);
    }
    assert.match((await on.call("GET", "/docs/problems")).text, /href="\/docs\/problems\/conflict"/);
    for (const slug of ["nothing", "constructor"])
      assert.equal((await on.call("GET", `/docs/problems/${slug}`)).status, 404);
  });
});
