/** The pages of the navigation, compared with the guide. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SITE } from "./site.ts";

test("each page names a page of the guide that exists", () => {
  const guide = new Set(readdirSync(join(import.meta.dirname, "../../docs/guide")));
  const named = SITE.flatMap(({ pages }) => pages.map(({ path, guide: name }) => `${path}: ${name}`));
  assert.deepEqual(
    named.filter((one) => !guide.has(`${one.split(": ")[1]}.md`)),
    [],
  );
});
