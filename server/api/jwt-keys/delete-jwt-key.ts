/** DELETE /v1/projects/{projectIdOrName}/jwt-keys/{keyId} */
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { removeJwtKey } from "../../store/jwt-keys.ts";
import { KeyParams, noSuchKey } from "./jwt-key.ts";

export const deleteJWTKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteJWTKey",
    tag: "JWT keys",
    summary: "Delete a JWT key",
    description: "Tokens signed with the key are rejected from the next request on, in all processes.",
    params: KeyParams,
    success: { status: 204, description: "Deleted. Its tokens are rejected." },
    async handle({ project, params }) {
      if (!(await removeJwtKey(deps.database.queries, project.id, params.keyId)))
        throw noSuchKey(params.keyId);
    },
  });
