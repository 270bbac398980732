/** The signed-in person with their roles, as the API shows it. */
import { Type, type Static } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { Queries } from "../../store/database.ts";
import { findBuilder, listMemberships } from "../../store/people.ts";
import { listProjects } from "../../store/projects.ts";
import { BuilderSchema, OrgSchema, toBuilder, toOrg } from "../orgs/org.ts";
import { ProjectSchema, toProject } from "../projects/project.ts";

const Role = {
  role: Type.String({ description: "Role, for example `project:owner`." }),
  principalType: Type.Enum(["team", "builder"], {
    description: "Whether the role belongs to the person or to a team.",
  }),
  principalId: Type.String({ description: "Id of the person or team." }),
};

const OrgRole = Type.Object(
  { ...Role, org: described(OrgSchema, "The organisation.") },
  { title: "OrgRole", description: "A role in an organisation." },
);

export const BuilderInfoSchema = Type.Object(
  {
    builder: described(BuilderSchema, "The person."),
    projectRoles: Type.Record(
      Type.String(),
      Type.Object({ ...Role, project: described(ProjectSchema, "The project.") }),
      {
        description: "By project id.",
      },
    ),
    orgRole: Type.Optional(described(OrgRole, "Role of the person in their first organisation.")),
    orgRoles: Type.Array(OrgRole, { description: "Roles in all organisations of the person, oldest first." }),
  },
  { title: "BuilderInfo", description: "A signed-in person with their roles." },
);

/** Returns the person; `orgRole` is that of their first organisation. */
export async function builderInfo(
  queries: Queries,
  caller: Caller,
): Promise<Static<typeof BuilderInfoSchema>> {
  const row = caller.builderId === undefined ? undefined : await findBuilder(queries, caller.builderId);
  if (!row) throw new Problem("forbidden", { detail: "This needs a signed-in person." });
  const principal = { principalType: "builder" as const, principalId: row.id };
  const memberships = await listMemberships(queries, row.id);
  const projectRoles: Static<typeof BuilderInfoSchema>["projectRoles"] = {};
  for (const { role, org } of memberships) {
    for (const project of await listProjects(queries, org.id)) {
      projectRoles[project.id] = { role: `project:${role}`, ...principal, project: toProject(project) };
    }
  }
  const orgRoles = memberships.map(({ role, org }) => ({
    role: `org:${role}`,
    ...principal,
    org: toOrg(org),
  }));
  const [orgRole] = orgRoles;
  return {
    builder: toBuilder(row),
    projectRoles,
    ...(orgRole && { orgRole }),
    orgRoles,
  };
}
