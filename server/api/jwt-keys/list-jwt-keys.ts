/** GET /v1/projects/{projectIdOrName}/jwt-keys */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listJwtKeys } from "../../store/jwt-keys.ts";
import { JwtKeySchema, toJwtKey } from "./jwt-key.ts";

export const listJWTKeys = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listJWTKeys",
    tag: "JWT keys",
    summary: "List JWT keys",
    description: "Busbar knows only the public keys.",
    query: Type.Object({
      active: Type.Optional(Type.Boolean({ description: "`true`: return active keys only. Default: all." })),
    }),
    success: { status: 200, description: "The keys, oldest first.", schema: Type.Array(JwtKeySchema) },
    handle: async ({ project, query }) =>
      (await listJwtKeys(deps.database.queries, project.id, query.active ?? false)).map(toJwtKey),
  });
