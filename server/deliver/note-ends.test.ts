/** Ends of deliveries reach the database whatever company they come in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../tests/harness/database.ts";
import { createLog } from "../ground/log.ts";
import { newId } from "../ground/ids.ts";
import { EndNotes } from "./note-ends.ts";

test("a delivery that two attempts end at once does not keep the others from being noted", async (t) => {
  const database = await testDatabase(t);
  const destinationId = newId();
  const twice = newId();
  let noted = 0;
  const notes = new EndNotes({
    database,
    relaxed: database.queries,
    log: createLog("silent"),
    workerId: () => 1,
    disableAfterSeconds: 60,
    onNoted: (ended) => void (noted += ended.length),
  });
  for (const eventId of [newId(), twice, newId(), twice, newId()]) {
    notes.add({ finished: { destinationId, eventId, state: "delivered", delayMs: 0 } });
  }
  await notes.close();
  assert.equal(noted, 5);
  const { rowCount } = await database.pool.query("select 1 from deliveries where state = 'delivered'");
  assert.equal(rowCount, 4);
});
