/** Recovery after the key with which an owner signs in was lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestBusbar } from "../../tests/harness/busbar.ts";
import { makeSignInKey } from "./owner-access.ts";
import { reopenDatabase } from "../../tests/harness/database.ts";

test("the operator makes another key when the last one is lost, and it signs the owner in", async (t) => {
  const busbar = await startTestBusbar(t);
  const other = (await busbar.inProject("POST", "/api-keys", { label: "plain" })).body.key;
  const [first] = (await busbar.inProject("GET", "/api-keys")).body as { id: string; signIn?: boolean }[];
  assert.equal(first?.signIn, true);
  const gone = await busbar.inProject("DELETE", `/api-keys/${first?.id}`, undefined, { "x-api-key": other });
  assert.equal(gone.status, 204, gone.text);
  const signIn = (apiKey: string) => busbar.call("POST", "/v1/sessions", { apiKey });
  assert.equal((await signIn(other)).status, 403);

  const database = await reopenDatabase(t, busbar);
  const key = await makeSignInKey(database, "Default");
  await assert.rejects(makeSignInKey(database, "nowhere"), /there is no project/);
  const answer = await signIn(key);
  assert.equal(answer.body.builderId, busbar.server.bootstrap?.builderId, answer.text);
});
