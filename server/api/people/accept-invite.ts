/** POST /v1/invites:accept */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { transact, type Database } from "../../store/database.ts";
import { acceptInvites } from "../../store/people.ts";
import { builderInfo, BuilderInfoSchema } from "./builder-info.ts";

export const acceptInvite = (deps: { database: Database }) =>
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
      return transact(deps.database, async (queries) => {
        const orgIds = await acceptInvites(queries, body.invitedEmail, builderId);
        if (orgIds.length > 0) return builderInfo(queries, caller);
        throw new Problem("not-found", { detail: "There is no open invitation for this address." });
      });
    },
  });
