/** Creates the first organisation, builder, project and API key in an empty database. */
import { hashSecret, newApiKey } from "../../ground/ids.ts";
import { findKeyOwner, insertApiKey } from "../store/access/api-keys.ts";
import { type Database, transactControl } from "../store/database/database.ts";
import type { ControlQueries } from "../store/database/sides.ts";
import {
  countOrganizations,
  findOwner,
  insertOrganization,
  insertOwner,
  lockOrganizations,
} from "../store/access/organizations.ts";
import { insertProject } from "../store/access/projects.ts";

export interface Bootstrap {
  apiKey: string;
  orgId: string;
  builderId: string;
  projectId: string;
  projectName: string;
}

/** Identity provider of people whom the operator created. */
export const OURS = "busbar";

/** Returns undefined if the database has an organisation already. Several processes may call it at once. */
export async function bootstrapIfEmpty(
  database: Database,
  wanted: { apiKey?: string; email?: string } = {},
): Promise<Bootstrap | undefined> {
  return transactControl(database, async (queries) => {
    await lockOrganizations(queries);
    if ((await countOrganizations(queries)) > 0) return undefined;
    return bootstrap(queries, { org: "Default", project: "default", ...wanted });
  });
}

/**
 * Creates an organisation with its builder, project and key. The builder signs in with the key. `email` counts as verified,
 * because the operator gives it; invitations and claimed domains rely on that.
 */
export async function bootstrap(
  queries: ControlQueries,
  wanted: { org: string; project: string; apiKey?: string; email?: string },
): Promise<Bootstrap> {
  const apiKey = wanted.apiKey ?? newApiKey();
  const org = await insertOrganization(queries, wanted.org);
  const builder = await insertOwner(queries, {
    orgId: org.id,
    idpProvider: OURS,
    idpRef: `bootstrap:${org.id}`,
    fullName: "Owner",
    primaryEmail: wanted.email,
  });
  const project = await insertProject(queries, {
    orgId: org.id,
    name: wanted.project,
    appName: wanted.project,
  });
  await insertApiKey(queries, {
    key: apiKey,
    projectId: project.id,
    label: "bootstrap",
    scopes: ["full"],
    builderId: builder.id,
  });
  return { apiKey, orgId: org.id, builderId: builder.id, projectId: project.id, projectName: project.name };
}

/** Finds the ids that belong to a key which an earlier, interrupted start has created. */
export async function findBootstrap(database: Database, apiKey: string): Promise<Bootstrap | undefined> {
  const owner = await findKeyOwner(database.control, hashSecret(apiKey));
  if (!owner) return undefined;
  const builderId = await findOwner(database.control, owner.orgId);
  if (!builderId) return undefined;
  return {
    apiKey,
    orgId: owner.orgId,
    builderId,
    projectId: owner.projectId,
    projectName: owner.projectName,
  };
}
