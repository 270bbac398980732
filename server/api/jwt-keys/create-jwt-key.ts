/** POST /v1/projects/{projectIdOrName}/jwt-keys */
import { Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { memberProblem } from "../../../ground/member-problem.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { insertJwtKey } from "../../store/jwt-keys.ts";
import { readPublicKey, RefusedKeySchema } from "./jwt-key.ts";

const Label = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

export const createJWTKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createJWTKey",
    tag: "JWT keys",
    summary: "Register a JWT key",
    description:
      "Your server signs tokens for customers with the private key. Header: `alg` RS256 and `kid`. Claims: " +
      "`groupRef`, `consumerRef`, `iat` and `exp`, at most 600 s later. A token allows what a `frontend` " +
      "API key allows, for its own group only.",
    body: Type.Object({
      label: described(Label, "Name of the key."),
      name: Type.Optional(
        Type.String({ description: "Deprecated name of `label`.", minLength: 1, maxLength: 255 }),
      ),
      algorithm: Type.Literal("RS256", { description: "Signature algorithm." }),
      publicKeyPem: Type.String({ description: "RSA, 2048 bits or more, as SPKI PEM." }),
    }),
    success: {
      status: 201,
      description: "The `kid` for the header of the tokens.",
      schema: Type.Object({
        kid: Type.String({ description: "Id of the key. Set it as `kid` in the header of each token." }),
      }),
    },
    refusalMembers: RefusedKeySchema,
    async handle({ project, body }) {
      const label = body.label ?? body.name;
      if (label === undefined) throw memberProblem("label", "is missing");
      const publicKeyPem = readPublicKey(body.publicKeyPem);
      const { id } = await insertJwtKey(deps.database.queries, {
        projectId: project.id,
        label,
        publicKeyPem,
      });
      return { kid: id };
    },
  });
