/** POST /v1/projects/{projectIdOrName}/api-keys */
import { Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { newApiKey } from "../../../ground/ids.ts";
import { type Caller, projectEndpoint } from "../../http/endpoint.ts";
import { insertApiKey, listApiKeys } from "../../store/api-keys.ts";
import { type Database, transact } from "../../store/database.ts";
import { showAuthor } from "../created-by.ts";
import { ApiKeySchema, futureTime, ScopesSchema, toApiKey } from "./api-key.ts";
import { AllowedAddresses, limitColumns, KeyRateLimit } from "./limits-of-key.ts";

export const createApiKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createApiKey",
    tag: "API keys",
    summary: "Create an API key",
    description:
      "Only this answer contains the complete key. The scope `full` (the default) is for servers and allows " +
      "everything in the project; `frontend` is for browsers. `write` allows writing records, `read` reading and " +
      "searching records, `proxy` proxied calls, and `read-only` everything that a `viewer` may see; a key may have " +
      "several of them. A key of another project of the organisation " +
      "can create a project's first key only.",
    body: Type.Object({
      label: Type.String({ minLength: 1, maxLength: 255, description: "Name of the key." }),
      scopes: Type.Optional(described(ScopesSchema, "Scopes of the key. Default: `full`.")),
      expireTime: Type.Optional(
        Type.String({ format: "date-time", description: "When the key expires. Default: never." }),
      ),
      allowedAddresses: Type.Optional(AllowedAddresses),
      rateLimit: Type.Optional(KeyRateLimit),
      signIn: Type.Optional(
        Type.Boolean({
          description: "Allows signing in with the key (`POST /v1/sessions`). For signed-in people only.",
        }),
      ),
    }),
    refusals: {
      400: "`expireTime` is in the past, an address is none, or the request does not match this description.",
    },
    success: { status: 201, description: "The complete API key.", schema: ApiKeySchema },
    async handle({ project, caller, body }) {
      const { label, scopes = ["full"] } = body;
      const expireTime =
        body.expireTime === undefined ? undefined : futureTime(body.expireTime, "expireTime");
      const limits = limitColumns(body);
      const builderId = body.signIn ? personWhoSigns(caller) : undefined;
      const key = newApiKey();
      const row = await transact(deps.database, async (queries) => {
        // A key of another project creates the first key only; otherwise it would open all projects permanently.
        if (caller.projectId !== project.id && (await listApiKeys(queries, project.id)).length > 0) {
          throw new Problem("forbidden", {
            detail: `The project \`${project.name}\` has API keys. Create further ones with a key of its own.`,
          });
        }
        return insertApiKey(queries, {
          key,
          projectId: project.id,
          label,
          scopes: [...new Set(scopes)],
          builderId,
          expireTime,
          createdBy: showAuthor(caller),
          ...limits,
        });
      });
      return toApiKey(row, key);
    },
  });

/** Throws a 403 Problem unless a signed-in person calls: an API key must not gain rights by creating a sign-in key. */
function personWhoSigns({ builderId }: Caller): string {
  if (builderId !== undefined) return builderId;
  throw new Problem("forbidden", {
    detail:
      "`signIn` is for signed-in people; an API key does not represent a person. Sign in with POST /v1/sessions first.",
  });
}
