/** Lists of operations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { stockDatabase } from "../../../tests/harness/proxy/stock-database.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { newId } from "../../../ground/ids.ts";
import { removeInstallation } from "../integrations/installations.ts";
import { removeIntegration } from "../integrations/integrations.ts";
import { listProjectOperations } from "./operation-lists.ts";
import { endOperations, insertOperations } from "./operations.ts";
import { removeProject } from "../access/projects.ts";

test("a search examines a limited number of operations, and the next call continues behind them", async (t) => {
  const { queries } = await testDatabase(t);
  const { projectId } = await bootstrap(queries, { org: "o", project: "p" });
  const ids = Array.from({ length: 7 }, newId);
  const about = { projectId, configId: newId(), actionType: "write", objectName: "contacts", claimedBy: 1 };
  await insertOperations(
    queries,
    ids.map((id) => ({ ...about, id, integrationId: newId(), installationId: newId() })),
  );
  const [oldest = ""] = ids;
  await endOperations(queries, [{ id: oldest, status: "failure", result: "No", metadata: {}, log: [] }]);
  const found: string[] = [];
  const positions: (string | undefined)[] = [];
  let before: string | undefined;
  do {
    const filter = { projectId, status: "failure" as const };
    const { rows, continueBefore } = await listProjectOperations(queries, filter, { before, limit: 2 }, 3);
    found.push(...rows.map(({ id }) => id));
    positions.push(continueBefore);
    before = continueBefore;
  } while (before);
  assert.deepEqual(found, [oldest]);
  assert.deepEqual(positions, [ids[4], ids[1], undefined]);
});

test("nothing of a deleted project is kept, whatever was deleted of it before", async (t) => {
  const { queries } = await testDatabase(t);
  const kept = () =>
    queries.selectFrom("removedInstallations").select(["id", "integrationName"]).orderBy("id").execute();
  const [first, second, third] = [
    await stockDatabase(queries, { projectName: "one" }),
    await stockDatabase(queries, { projectName: "two" }),
    await stockDatabase(queries, { projectName: "three" }),
  ];
  await removeInstallation(queries, first.projectId, first.installationId);
  const { integrationId } = await queries
    .selectFrom("installations")
    .select("integrationId")
    .where("id", "=", second.installationId)
    .executeTakeFirstOrThrow();
  await removeIntegration(queries, second.projectId, integrationId);
  assert.deepEqual(
    await kept(),
    [first, second].map(({ installationId: id }) => ({ id, integrationName: "acme-sync" })),
  );
  for (const { projectId } of [first, second, third]) await removeProject(queries, projectId);
  assert.deepEqual(await kept(), []);
});
