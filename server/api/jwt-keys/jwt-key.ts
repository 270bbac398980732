/** The JWT key as the API shows it, and how a public key is checked. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { Type, type Static } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import type { JwtKeyRow } from "../../store/jwt-keys.ts";
import { ProjectId } from "../members.ts";
import { CreateTime, UpdateTime } from "../times.ts";

export const JwtKeySchema = Type.Object(
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
export const RefusedKeySchema = Type.Object(
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

export const KeyParams = Type.Object({
  keyId: Type.String({ description: "Id of the key, the `kid` of its tokens." }),
});

export const toJwtKey = (row: JwtKeyRow): Static<typeof JwtKeySchema> => ({
  id: row.id,
  projectId: row.projectId,
  label: row.label,
  algorithm: "RSA",
  publicKeyPem: row.publicKeyPem,
  active: row.active,
  createTime: row.createTime.toISOString(),
  updateTime: row.updateTime.toISOString(),
});

export const noSuchKey = (id: string): Problem =>
  new Problem("not-found", { detail: `There is no JWT key \`${id}\` in this project.` });

const LEAST_BITS = 2_048;

/** Returns the key as SPKI PEM. Throws a 400 Problem. */
export function readPublicKey(pem: string): string {
  // Node could derive the public key, but private keys must not be sent here.
  if (/PRIVATE KEY/.test(pem)) {
    throw wrong("This is a private key. Keep it on your server, and send the public key that belongs to it.");
  }
  const key = parse(pem);
  if (key.asymmetricKeyType !== "rsa") throw wrong("The key must be an RSA key.");
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS) {
    throw wrong(`The key must have at least ${LEAST_BITS} bits.`);
  }
  return key.export({ type: "spki", format: "pem" }).toString();
}

function parse(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw wrong("This is not a public key in PEM form (-----BEGIN PUBLIC KEY-----).", cause);
  }
}

function wrong(detail: string, cause?: unknown): Problem {
  const field = "publicKeyPem";
  return new Problem("invalid-request", {
    detail: `${field}: ${detail}`,
    issues: [{ in: "body", name: field, detail }],
    extensions: { validationIssues: [{ field, detail }] },
    cause,
  });
}
