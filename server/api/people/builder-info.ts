/** A person and what they may enter, as the API shows it. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { Queries } from "../../store/database.ts";
import { findBuilder, listMemberships } from "../../store/people.ts";
import { listProjects } from "../../store/projects.ts";
import { BuilderSchema, OrgSchema, toBuilder, toOrg } from "../orgs/org.ts";
import { ProjectSchema, toProject } from "../projects/project.ts";

const Role = {
  role: Type.String(),
  principalType: Type.Enum(["team", "builder"]),
  principalId: Type.String(),
};

export const BuilderInfoSchema = Type.Object(
  {
    builder: BuilderSchema,
    projectRoles: Type.Record(Type.String(), Type.Object({ ...Role, project: ProjectSchema }), {
      description: "By project id.",
    }),
    orgRole: Type.Optional(Type.Object({ ...Role, org: OrgSchema })),
  },
  { title: "BuilderInfo" },
);

/** `orgRole` tells of the first organisation the person works for. */
export async function builderInfo(
  queries: Queries,
  caller: Caller,
): Promise<Static<typeof BuilderInfoSchema>> {
  const row = caller.builderId === undefined ? undefined : await findBuilder(queries, caller.builderId);
  if (!row) throw new Problem("forbidden", { detail: "Only a signed-in person has this." });
  const principal = { principalType: "builder" as const, principalId: row.id };
  const memberships = await listMemberships(queries, row.id);
  const projectRoles: Static<typeof BuilderInfoSchema>["projectRoles"] = {};
  for (const { role, org } of memberships) {
    for (const project of await listProjects(queries, org.id)) {
      projectRoles[project.id] = { role: `project:${role}`, ...principal, project: toProject(project) };
    }
  }
  const [first] = memberships;
  return {
    builder: toBuilder(row),
    projectRoles,
    ...(first && { orgRole: { role: `org:${first.role}`, ...principal, org: toOrg(first.org) } }),
  };
}
