/** Which databases are refused at start. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { createEmptyDatabase, testDatabase } from "../../../tests/harness/database.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "./open-database.ts";
import { insertSignInAttempt } from "../access/sign-in-attempts.ts";

test("a database that does not store UTF-8 is refused before anything is made in it, with the remedy", async (t) => {
  const whole = new URL(await createEmptyDatabase(t));
  const client = new Client({ connectionString: whole.href });
  await client.connect();
  for (const encoding of ["LATIN1", "SQL_ASCII"]) {
    const name = `${whole.pathname.slice(1)}_${encoding.toLowerCase()}`;
    await client.query(
      `create database ${name} encoding '${encoding}' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0`,
    );
    const other = new URL(`/${name}`, whole);
    other.search = whole.search;
    await assert.rejects(
      openDatabase({ connectionString: other.href, log: createLog("silent") }),
      new RegExp(`${name} of DATABASE_URL has the encoding ${encoding}.*encoding 'UTF8'`),
    );
    const made = new Client({ connectionString: other.href });
    await made.connect();
    assert.equal((await made.query("select to_regclass('migrations') as made")).rows[0].made, null);
    await made.end();
    await client.query(`drop database ${name}`);
  }
  await client.end();
});

test("sign-ins that anybody can begin are limited in number", async (t) => {
  const { queries } = await testDatabase(t);
  const begin = (name: string, expireTime = new Date(Date.now() + 60_000)) =>
    insertSignInAttempt(
      queries,
      { stateHash: Buffer.from(name), browserHash: Buffer.from("b"), returnTo: "/", expireTime },
      2,
    );
  assert.deepEqual([await begin("one"), await begin("two"), await begin("three")], [true, true, false]);
});
