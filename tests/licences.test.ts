/** The licences of what a production installation contains. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

interface Lock {
  packages: Record<string, { license?: string; dev?: boolean }>;
}

const PERMISSIVE =
  /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|CC0-1\.0|PSF-2\.0|Unlicense)\b/;
/** File-level copyleft: used unchanged, as a package of its own. */
const ACCEPTED = ["node_modules/@jmespath-community/jmespath"];

test("every package of a production installation has a permissive licence, or is listed here", () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8")) as Lock;
  const others = Object.entries(lock.packages).filter(
    ([path, { license = "none", dev }]) => path !== "" && !dev && !PERMISSIVE.test(license),
  );
  assert.deepEqual(
    others.map(([path]) => path),
    ACCEPTED,
  );
});
