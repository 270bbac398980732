/** Invites to an organisation: shape and endpoints. */
import { type Static, Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { endpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import {
  findInvite,
  type InviteRow,
  listInvites,
  revokeInvite,
  upsertInvite,
} from "../../store/access/people.ts";
import { OrgId, CreateTime, toTimes, UpdateTime } from "../members.ts";
import { getOwnOrg, OrgParams, RoleSchema } from "./org.ts";

export const inviteRoutes = (deps: { database: Database }): Route[] => [
  route("POST /v1/orgs/{orgId}/invites", "person", createOrgInvite(deps)),
  route("GET /v1/orgs/{orgId}/invites", "person", listOrgInvites(deps)),
  route("GET /v1/orgs/{orgId}/invites/{inviteId}", "person", getOrgInvite(deps)),
  route("DELETE /v1/orgs/{orgId}/invites/{inviteId}", "person", deleteOrgInvite(deps)),
];

const InviteSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the invitation." }),
    invitedEmail: Type.String({ description: "The e-mail address that was invited." }),
    parentType: Type.Literal("org", { description: "Always `org`." }),
    parentId: OrgId,
    role: RoleSchema,
    status: Type.Enum(["pending", "accepted", "revoked", "expired"], {
      description: "`pending` until the invitation is accepted, revoked or expired (seven days).",
    }),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "Invite", description: "An invitation to an organisation." },
);
const InviteParams = Type.Object({
  orgId: OrgId,
  inviteId: Type.String({ description: "Id of the invitation." }),
});

const toInvite = (row: InviteRow): Static<typeof InviteSchema> => ({
  id: row.id,
  invitedEmail: row.invitedEmail,
  parentType: "org",
  parentId: row.orgId,
  role: row.role,
  status: row.status,
  ...toTimes(row),
});

const refuseUnknownInvite = (id: string): Problem =>
  new Problem("not-found", { detail: `This organisation has no open invitation \`${id}\`.` });

const listOrgInvites = (deps: { database: Database }) =>
  endpoint({
    operationId: "listOrgInvites",
    tag: "Organisations",
    summary: "List invitations",
    description: "Open, accepted, revoked and expired invitations.",
    params: OrgParams,
    success: { status: 200, description: "The invitations, oldest first.", schema: Type.Array(InviteSchema) },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.control, caller, params.orgId);
      return (await listInvites(deps.database.control, id)).map(toInvite);
    },
  });

const getOrgInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "getOrgInvite",
    tag: "Organisations",
    summary: "Get an invitation",
    description: "With its status.",
    params: InviteParams,
    success: { status: 200, description: "The invitation.", schema: InviteSchema },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.control, caller, params.orgId);
      const row = await findInvite(deps.database.control, id, params.inviteId);
      if (!row) throw refuseUnknownInvite(params.inviteId);
      return toInvite(row);
    },
  });

const createOrgInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "createOrgInvite",
    tag: "Organisations",
    summary: "Invite a person",
    description:
      "For signed-in owners. The invitation is valid for seven days, or until the API key that the owner " +
      "signed in with is deleted. Busbar sends no e-mail: ask the person to sign in and to accept with " +
      "`POST /v1/invites:accept`.",
    params: OrgParams,
    role: "owner",
    body: Type.Object({
      email: Type.String({ format: "email", maxLength: 320, description: "E-mail address to invite." }),
      role: Type.Optional(described(RoleSchema, "The role of the person. Default: `editor`.")),
    }),
    success: { status: 201, description: "The invitation.", schema: InviteSchema },
    async handle({ caller, params, body }) {
      const { id } = await getOwnOrg(deps.database.control, caller, params.orgId);
      const { role } = body;
      const made = { ...(caller.sessionId !== undefined && { sessionId: caller.sessionId }), role };
      return toInvite(await upsertInvite(deps.database.control, id, body.email, made));
    },
  });

const deleteOrgInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "deleteOrgInvite",
    tag: "Organisations",
    summary: "Revoke an invitation",
    description: "The invitation can no longer be accepted. Answers 404 if it is not open.",
    params: InviteParams,
    role: "owner",
    success: { status: 204, description: "Revoked." },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.control, caller, params.orgId);
      const row = await findInvite(deps.database.control, id, params.inviteId);
      if (!row || !(await revokeInvite(deps.database.control, id, row.id)))
        throw refuseUnknownInvite(params.inviteId);
    },
  });
