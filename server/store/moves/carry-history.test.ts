/** Rows that follow a moved customer: those of nobody else, whatever happens to their places meanwhile. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { createTestDatabase } from "../../../tests/harness/database.ts";
import { newId } from "../../../ground/ids.ts";
import { carryHistory } from "./carry-history.ts";

/** Opens two connections to the database that a customer leaves, and one to the other. */
async function openScene(t: TestContext) {
  const [source, target] = [
    await createTestDatabase({ isDivided: false }),
    await createTestDatabase({ isDivided: false }),
  ];
  const clients = [source, source, target].map(
    ({ connectionString }) => new Client({ connectionString }),
  ) as [Client, Client, Client];
  t.after(async () => {
    for (const client of clients) await client.end();
    for (const { drop } of [source, target]) await drop();
  });
  for (const client of clients) {
    await client.connect();
    // The connections of customers are not what is looked at.
    await client.query(
      "alter table connection_gates drop constraint if exists connection_gates_connection_id_fkey",
    );
  }
  const [from, others, to] = clients;
  return { from, others, to };
}

const closeGate = (client: Client, connectionId: string) =>
  client.query("insert into connection_gates values ($1, now() + interval '1 hour', true)", [connectionId]);

async function listGates(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>("select connection_id as id from connection_gates");
  return rows.map(({ id }) => id);
}

test("a row of another customer that got the place of a moved one stays where it is", async (t) => {
  const { from, others, to } = await openScene(t);
  const [own, foreign] = [newId(), newId()];
  await closeGate(others, own);
  const findPlace = async (id: string) =>
    (await others.query("select ctid::text as place from connection_gates where connection_id = $1", [id]))
      .rows[0]?.place;
  const place = await findPlace(own);
  // Between the statement that finds the places, and the one that copies what is there.
  const query = from.query.bind(from);
  t.mock.method(from, "query", async (text: string, values?: unknown[]) => {
    const found = await query(text, values);
    if (!text.startsWith("select ctid::text as key from connection_gates") || found.rows.length === 0)
      return found;
    await others.query("delete from connection_gates where connection_id = $1", [own]);
    await others.query("vacuum connection_gates");
    await closeGate(others, foreign);
    return found;
  });
  const customer = {
    groupId: newId(),
    projectId: newId(),
    groupRef: "mover",
    installationIds: [newId()],
    connectionIds: [own],
  };
  await carryHistory({ from, to, customer, onRows: () => {} });
  assert.equal(await findPlace(foreign), place);
  assert.deepEqual([await listGates(from), await listGates(to)], [[foreign], []]);
});
