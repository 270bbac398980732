/** The API's own documentation. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROBLEM_TYPES } from "../../../ground/problem-types.ts";

const busbar = await shareTestBusbar();

describe("documentation", () => {
  test("the OpenAPI document is served as generated, with examples on request", async () => {
    const text = await readFile(join(import.meta.dirname, "../../../openapi.json"), "utf8");
    const { body } = await busbar.call("GET", "/openapi.json");
    assert.deepEqual(body, JSON.parse(text));
    const shown = (await busbar.call("GET", "/openapi.json?examples=true")).body;
    const { post } = shown.paths["/v1/projects/{projectIdOrName}/topics"];
    const { example, examples } = post.requestBody.content["application/json"];
    assert.ok(example ?? examples, "no example");
    const { content } = shown.components.responses.Problem404;
    assert.ok(content["application/problem+json"].examples.problem.$ref);
  });

  test("the page of each problem type shows causes and remedies", async () => {
    for (const [slug, { title, causes }] of Object.entries(PROBLEM_TYPES)) {
      const page = await busbar.call("GET", `/docs/problems/${slug}`);
      assert.equal(page.status, 200, slug);
      assert.ok(page.text.includes(title) && page.text.includes("<h2>What to do</h2>"), slug);
      assert.ok(page.text.includes(causes.split(/[`"&']/)[0] ?? causes), slug);
      const guide = [...page.text.matchAll(/href="(\/docs\/guide\/[^"]+)"/g)].map(([, link = ""]) => link);
      assert.ok(guide.includes("/docs/guide/errors"), slug);
      for (const link of guide)
        assert.equal((await busbar.call("GET", link)).status, 200, `${slug}: ${link}`);
    }
    assert.match((await busbar.call("GET", "/docs/problems")).text, /href="\/docs\/problems\/conflict"/);
    for (const slug of ["nothing", "constructor"])
      assert.equal((await busbar.call("GET", `/docs/problems/${slug}`)).status, 404);
  });

  test("a page of the guide is served to people and, with .md, to programs; a wrong name is told the nearest", async () => {
    const page = await busbar.call("GET", "/docs/guide/reading");
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(
      page.headers.get("content-security-policy") ?? "",
      /default-src 'none'; script-src 'nonce-[^']+'; style-src 'nonce-/,
    );
    const markdown = await busbar.call("GET", "/docs/guide/reading.md");
    assert.match(markdown.headers.get("content-type") ?? "", /^text\/markdown/);
    assert.equal(
      markdown.text,
      await readFile(join(import.meta.dirname, "../../../docs/guide/reading.md"), "utf8"),
    );
    assert.equal((await busbar.call("GET", "/docs/guide/providers/hubspot")).status, 200);
    const wrong = await busbar.call("GET", "/docs/guide/raeding");
    assert.deepEqual([wrong.status, /Did you mean \/docs\/guide\/reading\?/.test(wrong.text)], [404, true]);
    assert.match((await busbar.call("GET", "/docs/guide/search?q=signing+key")).text, /docs\/guide\/events#/);
    assert.match((await busbar.call("GET", "/llms.txt")).text, /\(\/docs\/guide\/reading\.md\)/);
  });
});
