/** JWT keys, with which customers' tokens are verified: shape, check and endpoints. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { type Static, Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import {
  findJwtKey,
  insertJwtKey,
  type JwtKeyRow,
  listJwtKeys,
  removeJwtKey,
  updateJwtKey as updateRow,
} from "../../store/access/jwt-keys.ts";
import { ProjectId, CreateTime, UpdateTime } from "../members.ts";
import { PROJECT } from "../paths.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";

export const listJwtKeyRoutes = (deps: { database: Database }): Route[] => [
  route(`GET ${PROJECT}/jwt-keys`, "full", listJWTKeys(deps)),
  route(`POST ${PROJECT}/jwt-keys`, "full", createJWTKey(deps)),
  route(`GET ${PROJECT}/jwt-keys/{keyId}`, "full", getJWTKey(deps)),
  route(`PATCH ${PROJECT}/jwt-keys/{keyId}`, "full", updateJWTKey(deps)),
  route(`DELETE ${PROJECT}/jwt-keys/{keyId}`, "full", deleteJWTKey(deps)),
];

const JwtKeySchema = Type.Object(
  {
    id: Type.String({ description: "The `kid` in the header of the tokens." }),
    projectId: ProjectId,
    label: Type.String({ description: "Name of the key." }),
    algorithm: Type.Literal("RSA", { description: "Signature algorithm." }),
    publicKeyPem: Type.String({ description: "The public key in PEM format." }),
    active: Type.Boolean({ description: "Whether tokens signed with the key are accepted." }),
    createTime: CreateTime,
    updateTime: UpdateTime,
  },
  {
    title: "JwtKey",
    description: "A public key that verifies customers' tokens. Your server signs them with the private key.",
  },
);

/** Members of a refused key, in addition to those of the Problem. */
const RefusedKeySchema = Type.Object(
  {
    validationIssues: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ description: "The member." }),
          detail: Type.String({ description: "What is wrong with the key." }),
        }),
        { description: "The same as `issues`. Deprecated." },
      ),
    ),
  },
  {
    title: "RefusedJwtKey",
    description: "Members of a refused public key, in addition to those of the Problem.",
  },
);

const KeyParams = Type.Object({
  keyId: Type.String({ description: "Id of the key, the `kid` of its tokens." }),
});

const toJwtKey = (row: JwtKeyRow): Static<typeof JwtKeySchema> => ({
  id: row.id,
  projectId: row.projectId,
  label: row.label,
  algorithm: "RSA",
  publicKeyPem: row.publicKeyPem,
  active: row.active,
  createTime: row.createTime.toISOString(),
  updateTime: row.updateTime.toISOString(),
});

const refuseUnknownKey = (id: string): Problem =>
  new Problem("not-found", { detail: `There is no JWT key \`${id}\` in this project.` });

const LEAST_BITS = 2_048;

/** Returns the key as SPKI PEM. Throws a 400 Problem. */
function readPublicKey(pem: string): string {
  // Node could derive the public key, but private keys must not be sent here.
  if (/PRIVATE KEY/.test(pem)) {
    throw refuseKey(
      "This is a private key. Keep it on your server, and send the public key that belongs to it.",
    );
  }
  const key = parse(pem);
  if (key.asymmetricKeyType !== "rsa") throw refuseKey("The key must be an RSA key.");
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS) {
    throw refuseKey(`The key must have at least ${LEAST_BITS} bits.`);
  }
  return key.export({ type: "spki", format: "pem" }).toString();
}

function parse(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw refuseKey("This is not a public key in PEM form (-----BEGIN PUBLIC KEY-----).", cause);
  }
}

function refuseKey(detail: string, cause?: unknown): Problem {
  const field = "publicKeyPem";
  return new Problem("invalid-request", {
    detail: `${field}: ${detail}`,
    issues: [{ in: "body", name: field, detail }],
    extensions: { validationIssues: [{ field, detail }] },
    cause,
  });
}

const listJWTKeys = (deps: { database: Database }) =>
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
      (await listJwtKeys(deps.database.control, project.id, query.active ?? false)).map(toJwtKey),
  });

const getJWTKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getJWTKey",
    tag: "JWT keys",
    summary: "Get a JWT key",
    description: "By its `kid`.",
    params: KeyParams,
    success: { status: 200, description: "The key.", schema: JwtKeySchema },
    async handle({ project, params }) {
      const row = await findJwtKey(deps.database.control, project.id, params.keyId);
      if (!row) throw refuseUnknownKey(params.keyId);
      return toJwtKey(row);
    },
  });

const Label = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

const createJWTKey = (deps: { database: Database }) =>
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
      if (label === undefined) throw toMemberProblem("label", "is missing");
      const publicKeyPem = readPublicKey(body.publicKeyPem);
      const { id } = await insertJwtKey(deps.database.control, {
        projectId: project.id,
        label,
        publicKeyPem,
      });
      return { kid: id };
    },
  });

const updateJWTKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "updateJWTKey",
    tag: "JWT keys",
    summary: "Update a JWT key",
    description:
      "`updateMask` may list active and label. Tokens of an inactive key are rejected from the next request " +
      "on, in all processes.",
    params: KeyParams,
    body: Type.Object({
      updateMask: UpdateMask,
      jwtKey: Type.Object(
        {
          active: Type.Optional(
            Type.Boolean({ description: "Set to false to reject tokens signed with the key immediately." }),
          ),
          label: described(Label, "Name of the key."),
          name: described(Label, "Alias of `label`."),
        },
        { description: "New values of the members listed in `updateMask`." },
      ),
    }),
    success: { status: 200, description: "The updated key.", schema: JwtKeySchema },
    refusals: { 422: "`updateMask` lists a member that the body does not have." },
    async handle({ project, params, body }) {
      const { name, active, label } = pickMasked(
        body.updateMask,
        body.jwtKey,
        ["active", "label", "name"],
        "jwtKey",
        "semantically-invalid",
      );
      const change = { ...(active !== undefined && { active }), ...toLabel(label ?? name) };
      const row = await updateRow(deps.database.control, project.id, params.keyId, change);
      if (!row) throw refuseUnknownKey(params.keyId);
      return toJwtKey(row);
    },
  });

const toLabel = (label: string | undefined) => (label === undefined ? {} : { label });

const deleteJWTKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteJWTKey",
    tag: "JWT keys",
    summary: "Delete a JWT key",
    description: "Tokens signed with the key are rejected from the next request on, in all processes.",
    params: KeyParams,
    success: { status: 204, description: "Deleted. Its tokens are rejected." },
    async handle({ project, params }) {
      if (!(await removeJwtKey(deps.database.control, project.id, params.keyId)))
        throw refuseUnknownKey(params.keyId);
    },
  });
