/** The pages of groups are complete and in one order, whatever order of texts the database was made with. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { startTestBusbar } from "../../../tests/harness/busbar.ts";
import { createEmptyDatabase } from "../../../tests/harness/database.ts";

/** Unicode's order in the language of a person would be a, A, a-b, ab, ä, alpha, Beta, …: case and signs count last. */
const REFS = [
  "Zeta",
  "alpha",
  "Beta",
  "a-b",
  "ab",
  "A",
  "a",
  "ä",
  "z",
  "_",
  "10",
  "9",
  "a b",
  "AB",
  "é",
  "e",
];

test("groups come in the order of their code points, once each, in a database with the order of a language", async (t) => {
  const closers: (() => Promise<void>)[] = [];
  const shared = new URL(await createEmptyDatabase({ after: (close) => void closers.push(close) }));
  const admin = new Client({ connectionString: shared.href });
  await admin.connect();
  const name = `${shared.pathname.slice(1)}_german`;
  await admin.query(
    `create database ${name} encoding 'UTF8' locale_provider icu icu_locale 'de-DE' locale 'C' template template0`,
  );
  const german = new URL(`/${name}`, shared);
  german.search = shared.search;
  const busbar = await startTestBusbar(t, { isDivided: false, env: { DATABASE_URL: german.href } });
  t.after(async () => {
    await admin.query(`drop database ${name}`);
    await admin.end();
    for (const close of closers) await close();
  });
  for (const groupRef of REFS) await busbar.inProject("POST", "/groups", { groupRef, groupName: groupRef });
  const listed: string[] = [];
  let pageToken: string | undefined;
  do {
    const more = pageToken === undefined ? "" : `&pageToken=${pageToken}`;
    const { body } = await busbar.inProject("GET", `/groups?pageSize=3${more}`);
    listed.push(...body.results.map(({ groupRef }: { groupRef: string }) => groupRef));
    pageToken = body.pagination.nextPageToken;
  } while (pageToken !== undefined);
  const bytes = (text: string) => Buffer.from(text);
  assert.deepEqual(
    listed,
    REFS.toSorted((one, other) => Buffer.compare(bytes(one), bytes(other))),
  );
});

test("`after` names a group that is known: one that was erased would hide all that come later", async (t) => {
  const busbar = await startTestBusbar(t);
  for (const groupRef of ["first", "second"])
    await busbar.inProject("POST", "/groups", { groupRef, groupName: groupRef });
  const newer = await busbar.inProject("GET", "/groups?after=first");
  assert.deepEqual(
    newer.body.results.map(({ groupRef }: { groupRef: string }) => groupRef),
    ["second"],
  );
  await busbar.inProject("DELETE", "/groups/first");
  const { status, body } = await busbar.inProject("GET", "/groups?after=first");
  assert.equal(status, 400);
  assert.match(body.detail, /`?after`?.*no group `first`/);
});
