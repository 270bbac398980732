/** `busbar invite --project NAME --email ADDRESS`: the operator's way to let the first person in, or the next owner. */
import { StartError } from "../../ground/errors.ts";
import { type Database, transactControl } from "../store/database/database.ts";
import { upsertInvite, type InviteRow } from "../store/access/people.ts";
import { findProject } from "../store/access/projects.ts";

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
