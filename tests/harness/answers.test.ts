/** The check of answers finds undeclared statuses, media types and members. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SentAnswer } from "../../server/http/server-options.ts";
import { checkAnswers } from "./answers.ts";

const healthy: SentAnswer = {
  requestId: "r1",
  method: "GET",
  path: "/healthz",
  status: 200,
  mediaType: "application/json; charset=utf-8",
  body: '{"status":"ok"}',
};
const problem = {
  type: "https://x.example/docs/problems/internal",
  href: "https://x.example/docs/problems/internal",
  title: "t",
  status: 500,
  detail: "d",
  instance: "urn:uuid:0198a1f2-6c1e-7d30-9c43-7a1b5e2f9d10",
  subsystem: "api",
  time: "2026-01-15T09:00:00.000Z",
  requestId: "r",
  retryable: true,
};
const refused = {
  ...healthy,
  status: 500,
  mediaType: "application/problem+json",
  body: JSON.stringify(problem),
};

function reported(answer: Partial<SentAnswer>): string {
  const answers = checkAnswers();
  answers.onAnswer({ ...healthy, ...answer });
  try {
    answers.requireGood("r1");
    return "";
  } catch (error) {
    return String(error);
  }
}

test("an answer as it is declared is good, and so is a Problem", () => {
  assert.equal(reported({}), "");
  assert.equal(reported(refused), "");
});

const FAULTS: [string, Partial<SentAnswer>, RegExp][] = [
  ["an operation that is not described", { path: "/nowhere" }, /not in openapi\.json/],
  ["a status that is not declared", { status: 418 }, /the status is not declared/],
  ["another media type", { mediaType: "text/plain" }, /the media type is `text\/plain`/],
  ["a value that does not fit", { body: '{"status":"so-so"}' }, /body\/status/],
  ["a member that is missing", { body: "{}" }, /required property 'status'/],
  ["a member that is not declared", { body: '{"status":"ok","more":1}' }, /must NOT have/],
  [
    "a Problem with a member that is not declared",
    { ...refused, body: JSON.stringify({ ...problem, more: 1 }) },
    /must NOT have/,
  ],
  [
    "a body where none is declared",
    { method: "DELETE", path: "/v1/projects/{projectIdOrName}", status: 204 },
    /there is a body/,
  ],
];
for (const [title, answer, says] of FAULTS)
  test(`${title} is a fault`, () => assert.match(reported(answer), says));

test("what no call of the test saw is reported at the end, once", () => {
  const answers = checkAnswers();
  answers.onAnswer({ ...healthy, status: 418 });
  answers.requireGood("another request");
  assert.throws(() => answers.requireGood(), /GET \/healthz answered 418/);
  answers.requireGood();
});
