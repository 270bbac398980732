/** Who is signed in, and how they enter an organisation. */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { type Database, transact } from "../../store/database.ts";
import { acceptInvites } from "../../store/people.ts";
import { BuilderInfoSchema, builderInfo } from "./builder-info.ts";

export const getMyInfo = (deps: { database: Database }) =>
  endpoint({
    operationId: "getMyInfo",
    tag: "People",
    summary: "Who is signed in, and what they may enter",
    description: "Needs a signed-in person: an API key is nobody, and is refused with 403.",
    success: { status: 200, description: "The person.", schema: BuilderInfoSchema },
    handle: ({ caller }) => builderInfo(deps.database.queries, caller),
  });

export const acceptInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "acceptInvite",
    tag: "People",
    summary: "Accept an invitation",
    description: "For the address that the signed-in person's issuer vouches for, and no other.",
    body: Type.Object({
      invitedEmail: Type.String({ minLength: 3, description: "The e-mail address that was invited." }),
    }),
    success: { status: 200, description: "The person, as a member.", schema: BuilderInfoSchema },
    refusals: { 404: "There is no open invitation for this address." },
    async handle({ caller, body }) {
      if (!caller.builderId || caller.email !== body.invitedEmail.toLowerCase()) {
        throw new Problem("forbidden", {
          detail: "Your sign-in does not vouch for this address. Sign in with the account that was invited.",
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
