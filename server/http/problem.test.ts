/** Guards how errors become Problems, and what their bodies reveal. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Problem } from "../../ground/errors.ts";
import { excludesType, formatProblem, toProblem } from "./problem.ts";

const context = { requestId: "r1", subsystem: "api", docsUrl: "http://docs.test" } as const;

describe("an error", () => {
  test("that is a Problem stays itself", () => {
    const problem = new Problem("conflict", { detail: "There is one." });
    assert.equal(toProblem(problem), problem);
  });

  test("of the framework becomes the caller's Problem", () => {
    const error = Object.assign(new Error("too large"), { code: "FST_ERR_CTP_BODY_TOO_LARGE" });
    assert.equal(toProblem(error).status, 413);
  });

  test("of an unreachable database is a 503 that may be retried", () => {
    // EAGAIN: connections to the socket of a server that hangs are no longer queued.
    for (const [code, address] of [
      ["ECONNREFUSED", "10.0.0.1"],
      ["EAGAIN", "/data/.s.PGSQL.5432"],
    ] as const) {
      const problem = toProblem(Object.assign(new Error(`connect ${code}`), { code, address }));
      assert.deepEqual([problem.status, problem.retryable], [503, true], code);
      assert.ok(problem.options.retryAfter, "the answer has a Retry-After");
    }
  });

  test("of any other kind is a 500 that does not reveal its text", () => {
    for (const error of [new Error("password is hunter2"), "hunter2", undefined, { secret: "hunter2" }]) {
      const problem = toProblem(error);
      assert.equal(problem.status, 500);
      assert.doesNotMatch(JSON.stringify(formatProblem(problem, context)), /hunter2/);
    }
  });
});

describe("the body of a refusal", () => {
  test("names its type, its request and whether to retry", () => {
    const body = formatProblem(new Problem("too-many-requests", { detail: "Wait." }), context);
    assert.equal(body["type"], "http://docs.test/problems/too-many-requests");
    assert.equal(body["href"], body["type"]);
    assert.equal(body["instance"], "urn:uuid:r1");
    assert.deepEqual([body["status"], body["detail"], body["retryable"]], [429, "Wait.", true]);
  });

  test("lists causes as texts for clients that do not know issues, if there are several", () => {
    const issues = ["a", "b"].map((name) => ({ in: "body" as const, name, detail: "is missing" }));
    const of = (count: number) =>
      formatProblem(new Problem("invalid-request", { detail: "x", issues: issues.slice(0, count) }), context);
    assert.deepEqual(of(2)["causes"], ["a: is missing", "b: is missing"]);
    assert.equal(of(1)["causes"], undefined);
  });
});

test("an Accept header excludes a media type with q=0 only", () => {
  const media = "application/problem+json";
  for (const accept of [
    `${media};q=0`,
    `*/*, ${media}; q=0.0`,
    `text/plain, Application/Problem+JSON ;q=0.000`,
  ]) {
    assert.equal(excludesType(accept, media), true, accept);
  }
  for (const accept of [undefined, "", "application/json", `${media};q=0.1`, "*/*;q=0", `${media};v=0`]) {
    assert.equal(excludesType(accept, media), false, accept);
  }
});
