/** The person who is signed in: what they may do, and invites that they accept. */
import { type Static, Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { type Caller, endpoint, route, type Route } from "../../http/endpoint.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { acceptInvites, findBuilder, listMemberships } from "../../store/access/people.ts";
import { listProjects } from "../../store/access/projects.ts";
import { BuilderSchema, OrgSchema, toBuilder, toOrg } from "../orgs/org.ts";
import { ProjectSchema, toProject } from "../projects/project.ts";

export const listPersonRoutes = (deps: { database: Database }): Route[] => [
  route("GET /v1/my-info", "person", getMyInfo(deps)),
  route("POST /v1/invites:accept", "person", acceptInvite(deps)),
];

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

const BuilderInfoSchema = Type.Object(
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
async function readBuilderInfo(
  queries: ControlQueries,
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

const getMyInfo = (deps: { database: Database }) =>
  endpoint({
    operationId: "getMyInfo",
    tag: "People",
    summary: "Get the signed-in person",
    description:
      "Returns the person with their roles. An API key does not represent a person and is refused with 403.",
    success: { status: 200, description: "The person.", schema: BuilderInfoSchema },
    handle: ({ caller }) => readBuilderInfo(deps.database.control, caller),
  });

const acceptInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "acceptInvite",
    tag: "People",
    summary: "Accept an invitation",
    description: "The invited address must be the verified address of the signed-in person.",
    body: Type.Object({
      invitedEmail: Type.String({ minLength: 3, description: "The e-mail address that was invited." }),
    }),
    success: { status: 200, description: "The person, as a member.", schema: BuilderInfoSchema },
    refusals: { 404: "There is no open invitation for this address." },
    async handle({ caller, body }) {
      if (!caller.builderId || caller.email !== body.invitedEmail.toLowerCase()) {
        throw new Problem("forbidden", {
          detail: "This is not your verified address. Sign in with the account that was invited.",
        });
      }
      const { builderId } = caller;
      return transactControl(deps.database, async (queries) => {
        const orgIds = await acceptInvites(queries, body.invitedEmail, builderId);
        if (orgIds.length > 0) return readBuilderInfo(queries, caller);
        throw new Problem("not-found", { detail: "There is no open invitation for this address." });
      });
    },
  });
