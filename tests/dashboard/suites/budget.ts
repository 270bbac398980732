/** The first page loads less than 300 KB, and the editor only where it is shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Suite } from "../dashboard.test.ts";

const MOST_BYTES = 300_000;

export const suite: Suite = (on) => {
  test("the first load of a list is below 300 KB gzipped, without the editor", async () => {
    const visit = await on().visit();
    const files: string[] = [];
    visit.page.on("response", (response) => {
      if (response.url().includes("/assets/")) files.push(response.url());
    });
    await visit.open("/projects/default/api-keys");
    await visit.close();
    const sizes = await Promise.all(files.map(gzippedBytes));
    const sum = sizes.reduce((total, bytes) => total + bytes, 0);
    assert.ok(sum > 50_000 && sum < MOST_BYTES, `${sum} bytes in ${files.length} files`);
    assert.deepEqual(
      files.filter((file) => /editor|codemirror/i.test(file)),
      [],
    );
  });
};

/** `fetch` of Node unpacks the body, but the header has the length that was sent. */
async function gzippedBytes(url: string): Promise<number> {
  const answer = await fetch(url, { headers: { "accept-encoding": "gzip" } });
  const body = await answer.arrayBuffer();
  return Number(answer.headers.get("content-length") ?? body.byteLength);
}
