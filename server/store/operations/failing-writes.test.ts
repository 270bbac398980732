import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../../ground/ids.ts";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { noteWriteVerdicts, type WriteVerdict } from "./failing-writes.ts";

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 28, 12, minute));

test("failures count from the last success on, for each kind of write", async (t) => {
  const { install, queries } = await openInstallations(t, {});
  const { id: installationId } = await install("acme", { objectName: "account" });
  const end = (works: boolean, minute: number, kind: Partial<WriteVerdict> = {}): WriteVerdict => ({
    installationId,
    objectName: "account",
    writeType: "create",
    operationId: newId(),
    works,
    time: at(minute),
    ...kind,
  });
  const counted = async () =>
    (await queries.selectFrom("failingWrites").selectAll().orderBy("writeType").execute()).map(
      ({ writeType, failures, since, lastTime }) => [writeType, failures, since, lastTime],
    );

  const last = end(false, 5);
  await noteWriteVerdicts(queries, [end(false, 1), end(true, 2), end(false, 3), end(false, 4), last]);
  assert.deepEqual(await counted(), [["create", 3, at(3), at(5)]]);
  const [{ operationId } = { operationId: "" }] = await queries
    .selectFrom("failingWrites")
    .select("operationId")
    .execute();
  assert.equal(operationId, last.operationId);

  // Another batch goes on; another kind is another streak, and its success heals nothing else.
  await noteWriteVerdicts(queries, [end(false, 6), end(false, 7, { writeType: "update" })]);
  await noteWriteVerdicts(queries, [end(true, 8, { writeType: "update" })]);
  assert.deepEqual(await counted(), [["create", 4, at(3), at(6)]]);

  // A deleted installation keeps none of the others from being counted.
  await noteWriteVerdicts(queries, [end(false, 8, { installationId: newId() }), end(false, 9)]);
  assert.deepEqual(await counted(), [["create", 5, at(3), at(9)]]);

  await noteWriteVerdicts(queries, [end(true, 10), end(false, 11)]);
  assert.deepEqual(await counted(), [["create", 1, at(11), at(11)]]);
  await noteWriteVerdicts(queries, [end(true, 12)]);
  assert.deepEqual(await counted(), []);
});

test("a batch that is given again, with more behind it, counts once", async (t) => {
  const { install, queries } = await openInstallations(t, {});
  const { id: installationId } = await install("acme", { objectName: "account" });
  const fail = (minute: number, writeType: "create" | "update" = "create"): WriteVerdict => ({
    installationId,
    objectName: "account",
    writeType,
    operationId: newId(),
    works: false,
    time: at(minute),
  });
  const batch = [fail(1), fail(2), fail(2, "update")];
  await noteWriteVerdicts(queries, batch);
  await noteWriteVerdicts(queries, [...batch, fail(3)]);
  const rows = await queries
    .selectFrom("failingWrites")
    .select(["writeType", "failures", "since", "lastTime"])
    .orderBy("writeType")
    .execute();
  assert.deepEqual(rows, [
    { writeType: "create", failures: 3, since: at(1), lastTime: at(3) },
    { writeType: "update", failures: 1, since: at(2), lastTime: at(2) },
  ]);
});
