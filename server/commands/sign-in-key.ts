/** `busbar sign-in-key --project NAME`: creates a key with which an owner can sign in after the last one was deleted. */
import { StartError } from "../../ground/errors.ts";
import { newApiKey } from "../../ground/ids.ts";
import { insertApiKey } from "../store/access/api-keys.ts";
import { type Database, transactControl } from "../store/database/database.ts";
import { findOwner } from "../store/access/organizations.ts";
import { findProject } from "../store/access/projects.ts";

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
