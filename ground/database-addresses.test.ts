import assert from "node:assert/strict";
import { test } from "node:test";
import { listDatabaseAddresses } from "./database-addresses.ts";

test("several hosts become an address each, with user, database and parameters", () => {
  const url =
    "postgres://busbar:p%40s@a:5432,[::1]:5433/db?sslmode=verify-full&target_session_attrs=read-write";
  assert.deepEqual(listDatabaseAddresses(url), [
    "postgres://busbar:p%40s@a:5432/db?sslmode=verify-full",
    "postgres://busbar:p%40s@[::1]:5433/db?sslmode=verify-full",
  ]);
  assert.deepEqual(listDatabaseAddresses("postgresql:///db?host=/var/run"), [
    "postgresql:///db?host=/var/run",
  ]);
});

test("an empty host, another scheme and a target that is a standby are refused", () => {
  for (const url of ["postgres://a,/db", "mysql://a/db", "postgres://a/db?target_session_attrs=standby"])
    assert.equal(listDatabaseAddresses(url), undefined, url);
});
