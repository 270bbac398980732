/** The first page loads less than 300 KB, and the editor only where it is shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Suite } from "../run-suites.ts";

const MAX_BYTES = 300_000;

export const suite: Suite = (server) => {
  test("the first load of a list is below 300 KB gzipped, without the editor, which its own page loads", async (scope) => {
    const visit = await server().visit();
    const loaded: string[] = [];
    visit.page.on("response", (response) => {
      if (response.url().includes("/assets/")) loaded.push(response.url());
    });
    await visit.open("/projects/default/api-keys");
    const files = [...loaded];
    await visit.open("/projects/default/deploy?template=write");
    await visit.page.getByRole("textbox", { name: "Manifest" }).waitFor();
    await visit.close();
    const sizes = await Promise.all(files.map(countGzippedBytes));
    const sum = sizes.reduce((total, bytes) => total + bytes, 0);
    assert.ok(sum > 50_000 && sum < MAX_BYTES, `${sum} bytes in ${files.length} files`);
    const isEditor = (file: string) => /editor|codemirror|code-mirror/i.test(file);
    assert.deepEqual(files.filter(isEditor), []);
    const editor = new Set(loaded.filter(isEditor));
    assert.ok(editor.size > 0);
    scope.diagnostic(`first load ${sum} bytes in ${files.length} files; ${[...editor].join(" ")}`);
  });
};

/** `fetch` of Node unpacks the body, but the header has the length that was sent. */
async function countGzippedBytes(url: string): Promise<number> {
  const answer = await fetch(url, { headers: { "accept-encoding": "gzip" } });
  const body = await answer.arrayBuffer();
  return Number(answer.headers.get("content-length") ?? body.byteLength);
}
