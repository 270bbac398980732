/** The guide's pages, read from the files that people read in the repository. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CHAPTERS, openGuide } from "./open-guide.ts";
import { renderGuidePage, renderLlmsText, searchPage } from "./guide-pages.ts";
import { cutExcerpt } from "./search-sections.ts";

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
      const html = String(renderGuidePage(guide, page).content);
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
  const html = String(renderGuidePage(await openGuide(), page).content);
  const ids = [...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(ids, ["foo", "foo-1", "bar-and-baz"]);
});

const tabs = (html: string): string[] =>
  html
    .split('<div class="tabs"')
    .slice(1)
    .map((group) => [...group.matchAll(/<label for="[^"]+">(\w+)</g)].map(([, name]) => name).join(" "));
const fence = (language: string, code = "code") => `\`\`\`${language}\n${code}\n\`\`\`\n\n`;

test("blocks that follow each other in different languages are tabs; others are not", async () => {
  const markdown = `# T\n\n${fence("sh")}${fence("ts", "<b>")}${fence("python")}text\n\n${fence("sh")}text\n\n${fence("json")}${fence("sh")}`;
  const html = String(renderGuidePage(await openGuide(), { name: "tabs", title: "T", markdown }).content);
  assert.deepEqual(tabs(html), ["curl TypeScript Python"]);
  assert.equal(html.match(/<pre/g)?.length, 6);
  assert.doesNotMatch(html, /<b>/);
});

test("a block that only calls the API is shown in both clients' languages too; a block that does more is not", async () => {
  const call = `LIST=$(curl -s "$API/v1/projects/default/connections?groupRef=acme" -H "X-Api-Key: $KEY" \\
  | node -p 'JSON.parse(fs.readFileSync(0))[0].id')

curl -s $API/v1/projects/other/destinations/$LIST:test -X POST -H "X-Api-Key: $KEY"    # sends one
curl -s $API/v1/projects/default/topics -H "X-Api-Key: $KEY" -d '{"name": "it '$NAME' {"}'`;
  const forms = (await openGuide()).clientForms(call, new Set());
  assert.equal(
    forms?.typescript,
    `const list = (await busbar.listConnections({ groupRef: "acme" }))[0]!.id;

// sends one
console.log(await busbar.testDestination({ projectIdOrName: "other", destination: list }));
console.log(await busbar.createTopic({
  createTopicRequest: { name: \`it \${process.env.NAME ?? ""} {\` },
}));`,
  );
  assert.equal(
    forms?.python,
    `list = busbar.list_connections(group_ref="acme")[0]["id"]

# sends one
print(busbar.test_destination(list, project="other"))
print(busbar.create_topic({"name": f"it {os.environ['NAME']} {{"}))`,
  );
  const { clientForms } = await openGuide();
  for (const more of [
    "curl -s $API/v1/providers | head -n 3",
    "curl -s $API/v1/providers > file.json",
    "curl -s -i $API/v1/providers",
    "curl -s $API/v1/projects/default/topics?pagesize=5",
    'curl -s $API/v1/my-info -H "Authorization: Bearer $SESSION"',
    "for x in 1 2; do curl -s $API/v1/providers; done",
    "curl -s $API/v1/providers\nbusbar deploy",
    "curl -s http://127.0.0.1:4100/sandbox/requests",
  ])
    assert.equal(clientForms(more, new Set()), undefined, more);
});

test("texts of pages and queries are never markup", async () => {
  const guide = await openGuide();
  const script = `<script>alert("1")</script>`;
  const page = renderGuidePage(guide, {
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
  const text = renderLlmsText(guide);
  for (const name of guide.pages.keys()) assert.equal(text.split(`(/docs/guide/${name}.md)`).length, 2, name);
});

test("what a search shows of a section has no rules of tables, and ends with a whole word", async () => {
  for (const section of (await openGuide()).sections) {
    const shown = cutExcerpt(section);
    assert.doesNotMatch(shown, /-{3,}|```/, shown);
    const words = new Set(section.text.split(/[^\p{L}\p{N}]+/u));
    const last = /([\p{L}\p{N}]+)[^\p{L}\p{N}]* …$/u.exec(shown)?.[1];
    assert.ok(last === undefined || words.has(last), shown);
  }
});
