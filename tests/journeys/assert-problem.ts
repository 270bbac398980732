/** Checks that an answer is a refusal as every refusal must be. */
import assert from "node:assert/strict";
import type { Answer } from "../harness/busbar.ts";

/** Returns the body, once it is a Problem of this status with all the members a refusal owes its reader. */
export function assertProblem(answer: Answer, status: number, type?: string): Answer["body"] {
  assert.equal(answer.status, status, answer.text.slice(0, 2_000));
  assert.equal(answer.headers.get("content-type"), "application/problem+json");
  const { body } = answer;
  assert.match(body.type, /^http:\/\/127\.0\.0\.1:\d+\/docs\/problems\/[a-z-]+$/);
  if (type) assert.ok(body.type.endsWith(`/${type}`), `${body.type} is not ${type}: ${body.detail}`);
  assert.equal(body.status, status);
  assert.ok(body.title && body.subsystem, answer.text);
  assert.ok(typeof body.detail === "string" && body.detail.length > 10, answer.text);
  assert.equal(new Date(body.time).toISOString(), body.time);
  assert.equal(body.requestId, answer.headers.get("x-request-id"));
  assert.equal(typeof body.retryable, "boolean");
  if (body.issues?.length > 1) assert.ok(body.causes?.length > 1, "several issues, but no causes");
  // What happened inside is for the log.
  assert.doesNotMatch(answer.text, /node_modules|\bat \w+ \(|\bselect\b.+\bfrom\b|password=/i);
  return body;
}
