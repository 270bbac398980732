/** POST /v1/projects/{projectIdOrName}/api-keys */
import { Type } from "typebox";
import { described } from "../../ground/described.ts";
import { Problem } from "../../ground/errors.ts";
import { newApiKey } from "../../ground/ids.ts";
import { type Caller, projectEndpoint } from "../../http/endpoint.ts";
import { insertApiKey, listApiKeys } from "../../store/api-keys.ts";
import { type Database, transact } from "../../store/database.ts";
import { ApiKeySchema, ScopesSchema, toApiKey } from "./api-key.ts";

export const createApiKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createApiKey",
    tag: "API keys",
    summary: "Create an API key",
    description:
      "The answer is the only place where the whole key is shown. `full` (the default) is for servers and may do " +
      "everything in the project; `frontend` is for browsers. A key of the organisation's other projects creates a " +
      "project's first key.",
    body: Type.Object({
      label: Type.String({ minLength: 1, maxLength: 255, description: "Name of the key." }),
      scopes: Type.Optional(described(ScopesSchema, "Scopes of the key. Default: `full`.")),
      signIn: Type.Optional(
        Type.Boolean({
          description: "The key also signs you in (`POST /v1/sessions`). For signed-in people only.",
        }),
      ),
    }),
    success: { status: 201, description: "The API key, whole.", schema: ApiKeySchema },
    async handle({ project, caller, body }) {
      const { label, scopes = ["full"] } = body;
      const builderId = body.signIn ? personWhoSigns(caller) : undefined;
      const key = newApiKey();
      const row = await transact(deps.database, async (queries) => {
        // A key must not open its neighbours for ever: only the first one may come from outside.
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
        });
      });
      return toApiKey(row, key);
    },
  });

/** A key must not make itself more than it is: only who is a person already may have a key that signs them in. */
function personWhoSigns({ builderId }: Caller): string {
  if (builderId !== undefined) return builderId;
  throw new Problem("forbidden", {
    detail:
      "`signIn` is for signed-in people, and an API key is nobody. Sign in with POST /v1/sessions first.",
  });
}
