/** GET /v1/projects/{projectIdOrName}/jwt-keys/{keyId} */
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findJwtKey } from "../../store/jwt-keys.ts";
import { JwtKeySchema, KeyParams, noSuchKey, toJwtKey } from "./jwt-key.ts";

export const getJWTKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getJWTKey",
    tag: "JWT keys",
    summary: "Get a JWT key",
    description: "By its `kid`.",
    params: KeyParams,
    success: { status: 200, description: "The key.", schema: JwtKeySchema },
    async handle({ project, params }) {
      const row = await findJwtKey(deps.database.queries, project.id, params.keyId);
      if (!row) throw noSuchKey(params.keyId);
      return toJwtKey(row);
    },
  });
