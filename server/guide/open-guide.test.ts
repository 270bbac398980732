/** The guide's pages, read from the files that people read in the repository. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CHAPTERS, openGuide } from "./open-guide.ts";
import { guidePage, llmsText, searchPage } from "./guide-pages.ts";

const DOCS = join(import.meta.dirname, "../../docs");

test("every page of the guide stands in one chapter, and every chapter's page exists", () => {
  const files = globSync("*.md", { cwd: join(DOCS, "guide") }).map((file) => file.slice(0, -3));
  const listed = CHAPTERS.flatMap(({ pages }) => pages);
  assert.deepEqual(listed.toSorted(), [...files, "providers/README"].toSorted());
});

test("links between files lead to pages and headings that exist, and no link leads to a file that is not served", async () => {
  const guide = await openGuide();
  const ids = new Map(
    [...guide.pages.values()].map((page) => {
      const html = String(guidePage(guide, page).content);
      return [page.name, { html, ids: [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id) }];
    }),
  );
  const wrong: string[] = [];
  for (const [name, { html }] of ids) {
    for (const [, href = ""] of html.matchAll(/href="([^"]*)"/g)) {
      if (!href.startsWith("/docs/guide/") || /\.md$|search$/.test(href)) {
        if (!/^(\/|https:\/\/|http:\/\/|mailto:|#|data:)/.test(href)) wrong.push(`${name}: ${href}`);
        continue;
      }
      const [path = "", anchor] = href.replace("/docs/guide/", "").split("#");
      const linked = ids.get(path);
      if (!linked || (anchor && !linked.ids.includes(decodeURIComponent(anchor))))
        wrong.push(`${name}: ${href}`);
    }
  }
  assert.deepEqual(wrong, []);
});

// The numbers are GitHub's: `foo`, then `foo-1`, in the README of github-slugger 2.0.0.
test("headings of the same words have addresses of their own", async () => {
  const page = {
    name: "twice",
    title: "Twice",
    markdown: "# Twice\n\n## foo\n\n## foo\n\n## `bar` and [baz](x.md)\n",
  };
  const html = String(guidePage(await openGuide(), page).content);
  const ids = [...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(ids, ["foo", "foo-1", "bar-and-baz"]);
});

test("texts of pages and queries are never markup", async () => {
  const guide = await openGuide();
  const script = `<script>alert("1")</script>`;
  const page = guidePage(guide, {
    name: "x",
    title: script,
    markdown: `# ${script}\n\n${script} [a](javascript:alert(1))`,
  });
  assert.doesNotMatch(String(page.content), /<script|href="javascript/);
  assert.doesNotMatch(String(searchPage(guide, script).content), /<script/);
});

/** What somebody types, and the page on which a person finds the answer. */
const QUESTIONS = [
  ["idempotency key", "writing-records"],
  ["backfill", "reading"],
  ["rotate signing key", "events"],
  ["postgresql backup", "operating"],
  ["docker image", "installing"],
  ["custom provider", "own-providers"],
  ["attio people", "providers/attio"],
] as const;

test("a search finds the page that answers, among its first five sections", async () => {
  const guide = await openGuide();
  for (const [query, expected] of QUESTIONS) {
    const found = guide.search(query, 5).map(({ page }) => page);
    assert.ok(found.includes(expected), `${query}: ${found.join(", ")}`);
  }
  assert.deepEqual(guide.search("xyzzyplugh", 5), []);
});

test("the list for language models names every page once", async () => {
  const guide = await openGuide();
  const text = llmsText(guide);
  for (const name of guide.pages.keys()) assert.equal(text.split(`(/docs/guide/${name}.md)`).length, 2, name);
});
