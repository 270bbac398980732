/** POST /v1/orgs/{orgId}/invites */
import { Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { upsertInvite } from "../../store/people.ts";
import { InviteSchema, toInvite } from "./invite.ts";
import { getOwnOrg, OrgParams, RoleSchema } from "./org.ts";

export const createOrgInvite = (deps: { database: Database }) =>
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
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      const { role } = body;
      const made = { ...(caller.sessionId !== undefined && { sessionId: caller.sessionId }), role };
      return toInvite(await upsertInvite(deps.database.queries, id, body.email, made));
    },
  });
