/** `busbar invite` and `busbar sign-in-key`: how the operator lets the first person in, or the next owner. */
import { StartError } from "../../ground/errors.ts";
import { type Database, transactControl } from "../store/database/database.ts";
import { upsertInvite, type InviteRow } from "../store/access/people.ts";
import { findProject } from "../store/access/projects.ts";
import { newApiKey } from "../../ground/ids.ts";
import { insertApiKey } from "../store/access/api-keys.ts";
import { findOwner } from "../store/access/organizations.ts";

/** Invites a person to the organisation of the project, as its owner. Throws `StartError` when there is no such project. */
export function inviteOwner(
  database: Database,
  { project, email }: { project: string; email: string },
): Promise<InviteRow> {
  return transactControl(database, async (queries) => {
    const found = await findProject(queries, project.toLowerCase());
    if (!found) throw new StartError(`there is no project "${project}"`);
    return upsertInvite(queries, found.orgId, email, { role: "owner" });
  });
}

/** Creates a key of the project for the first owner of its organisation. Throws `StartError` if there is none. */
export function makeSignInKey(database: Database, project: string): Promise<string> {
  return transactControl(database, async (queries) => {
    const found = await findProject(queries, project.toLowerCase());
    const builderId = found && (await findOwner(queries, found.orgId));
    if (!found || !builderId) throw new StartError(`there is no project "${project}" with an owner`);
    const key = newApiKey();
    await insertApiKey(queries, {
      key,
      projectId: found.id,
      label: "sign-in",
      scopes: ["full"],
      builderId,
    });
    return key;
  });
}
