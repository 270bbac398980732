/** Invitations to an organisation: made, listed, shown, revoked. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findInvite, listInvites, revokeInvite, upsertInvite, type InviteRow } from "../../store/people.ts";
import { OrgId } from "../members.ts";
import { CreateTime, times, UpdateTime } from "../times.ts";
import { getOwnOrg, OrgParams } from "./org.ts";

const InviteSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the invitation." }),
    invitedEmail: Type.String({ description: "The e-mail address that was invited." }),
    parentType: Type.Literal("org", { description: "Always `org`." }),
    parentId: OrgId,
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
  status: row.status,
  ...times(row),
});

const noInvite = (id: string): Problem =>
  new Problem("not-found", { detail: `This organisation has no open invitation \`${id}\`.` });

export const createOrgInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "createOrgInvite",
    tag: "Organisations",
    summary: "Invite a person",
    description:
      "Good for seven days. Busbar sends no mail: tell the person to sign in and to accept with `POST " +
      "/v1/invites:accept`.",
    params: OrgParams,
    body: Type.Object({
      email: Type.String({ format: "email", maxLength: 320, description: "E-mail address to invite." }),
    }),
    success: { status: 201, description: "The invitation.", schema: InviteSchema },
    async handle({ caller, params, body }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      return toInvite(await upsertInvite(deps.database.queries, id, body.email));
    },
  });

export const listOrgInvites = (deps: { database: Database }) =>
  endpoint({
    operationId: "listOrgInvites",
    tag: "Organisations",
    summary: "List invitations",
    description: "Those that are open and those that were accepted, revoked or have expired.",
    params: OrgParams,
    success: { status: 200, description: "The invitations, oldest first.", schema: Type.Array(InviteSchema) },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      return (await listInvites(deps.database.queries, id)).map(toInvite);
    },
  });

export const getOrgInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "getOrgInvite",
    tag: "Organisations",
    summary: "Get an invitation",
    description: "With what became of it so far.",
    params: InviteParams,
    success: { status: 200, description: "The invitation.", schema: InviteSchema },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      const row = await findInvite(deps.database.queries, id, params.inviteId);
      if (!row) throw noInvite(params.inviteId);
      return toInvite(row);
    },
  });

export const deleteOrgInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "deleteOrgInvite",
    tag: "Organisations",
    summary: "Revoke an invitation",
    description: "Nobody can accept it any more. Answers 404 for one that is not open.",
    params: InviteParams,
    success: { status: 204, description: "Revoked." },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      const row = await findInvite(deps.database.queries, id, params.inviteId);
      if (!row || !(await revokeInvite(deps.database.queries, id, row.id))) throw noInvite(params.inviteId);
    },
  });
