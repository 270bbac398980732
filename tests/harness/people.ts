/** People of a Busbar without an issuer: adds them with a role, and signs them in. */
import assert from "node:assert/strict";
import { createLog } from "../../ground/log.ts";
import { newApiKey, newId } from "../../ground/ids.ts";
import type { Role } from "../../ground/role.ts";
import { insertApiKey } from "../../server/store/access/api-keys.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { insertMembership } from "../../server/store/access/organizations.ts";
import { upsertBuilder } from "../../server/store/access/people.ts";
import type { TestBusbar } from "./busbar.ts";
import { bearer } from "./customer-tokens.ts";

export interface TestPerson {
  builderId: string;
  /** The key that signs them in. */
  apiKey: string;
  headers: Record<string, string>;
}

/** Adds a person to the organisation of the first start and signs them in. */
export async function addPerson(busbar: TestBusbar, role: Role): Promise<TestPerson> {
  const database = await openDatabase({
    connectionString: busbar.connectionString,
    dataUrl: busbar.dataUrl,
    log: createLog("silent"),
  });
  const { id: builderId } = await upsertBuilder(database.queries, {
    idpProvider: "test",
    idpRef: newId(),
    firstName: null,
    lastName: null,
    fullName: `The ${role}`,
    primaryEmail: `${role}@acme.example`,
  });
  await insertMembership(database.queries, { orgId: busbar.server.bootstrap?.orgId ?? "", builderId, role });
  const apiKey = newApiKey();
  const { projectId } = busbar;
  await insertApiKey(database.queries, { key: apiKey, projectId, label: role, scopes: ["full"], builderId });
  await database.close();
  return { builderId, apiKey, headers: await signIn(busbar, apiKey) };
}

/** Returns headers with a session of the person whom a key signs in. Default: the owner of the first start. */
export async function signIn(busbar: TestBusbar, apiKey = busbar.apiKey): Promise<Record<string, string>> {
  const { status, body, text } = await busbar.call("POST", "/v1/sessions", { apiKey }, { "x-api-key": "" });
  assert.equal(status, 201, text);
  return bearer(body.token);
}
