/** How a refusal with several issues is printed. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Refused } from "../http/refused.ts";
import { printFailure } from "./print-failure.ts";

test("what to do about all issues is printed once, and a name that an issue has in its words is not repeated", () => {
  const remedy = "Deploy the manifest with another destination.";
  const issue = (name: string) => ({
    in: "path",
    name: "destination",
    detail: `the integration \`${name}\` sends to \`app\`.`,
    remedy,
    value: name,
  });
  const problem = { title: "Names in use", status: 409, remedy, issues: [issue("crm"), issue("orders")] };
  const stderr = Object.assign(new PassThrough(), { isTTY: false });
  printFailure(new Refused(409, problem, "`app` is sent to."), { stderr, env: {} }, false);
  assert.equal(
    String(stderr.read()),
    [
      "error: Names in use",
      "  `app` is sent to.",
      "  path destination: the integration `crm` sends to `app`.",
      "  path destination: the integration `orders` sends to `app`.",
      `  → ${remedy}`,
      "",
    ].join("\n"),
  );
});
