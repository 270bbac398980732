/** Reads that are answered with the status of a success and something else than records. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { open, PLAN } from "./scan-fixture.ts";

const GET = { get: { path: "/people/{id}" } };

const openWith = (t: TestContext, body: unknown, errors = { message: ["error", "error.text"] }) =>
  open(t, GET, () => ({ body }), errors);

test("a list that is answered with words in place of records fails with these words", async (t) => {
  for (const [body, words] of [
    [{ error: "The account is suspended" }, /without the list of records: The account is suspended$/],
    [{ error: { text: "Quota of exports" } }, /Quota of exports/],
    [{ message: "Please sign in", portal: "guest.corp.example" }, /Please sign in.*guest\.corp/],
    [{ data: "none" }, /"data":"none"/],
    ["maintenance", /maintenance/],
  ] as const) {
    const { scan } = await openWith(t, body);
    await assert.rejects(scan(), { kind: "unreadable", message: words, status: 200 });
  }
});

test("the kind of such words is that of the provider's code", async (t) => {
  const errors = { message: ["error"], code: "code", codes: { slow: "rate_limited" as const } };
  const { scan } = await openWith(t, { error: "Wait a little", code: "slow" }, errors);
  await assert.rejects(scan(), { kind: "rate_limited", message: /Wait a little/ });
});

test("a record is not told as gone after an answer that does not say so", async (t) => {
  for (const [body, kind] of [
    [{ error: "The account is suspended" }, "invalid"],
    [undefined, "unreadable"],
  ] as const) {
    const { read, fetch } = await openWith(t, body);
    await assert.rejects(read.readByIds(PLAN, ["7"], fetch), { kind });
  }
});

test("404 without a word does not tell that an object has no list: it is tried again", async (t) => {
  const bare = await open(t, GET, () => ({ status: 404, body: {} }));
  await assert.rejects(bare.scan(), { kind: "unavailable" });
  const told = await open(t, GET, () => ({ status: 404, body: { error: "There is no such object" } }));
  await assert.rejects(told.scan(), { kind: "not_found" });
});
