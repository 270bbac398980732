/** What destinations at Google have in common: service accounts, the bearer tokens that their keys sign, and refusals. */
import type { KeyObject } from "node:crypto";
import { Type } from "typebox";
import { isJsonObject, type Json } from "../ground/json.ts";
import { checkEndpoint } from "./check-url.ts";
import type { AddressRules, Fault, Outcome } from "./destination.ts";
import { openBearer, readRsaKey } from "./signed-bearer.ts";

/** Settings that all of them have. */
export const GOOGLE_PROJECT = { projectId: Type.String({ pattern: "^[a-z][a-z0-9.:-]{2,99}$" }) };

export const buildEndpointSetting = (service: string) => ({
  endpointUrl: Type.Optional(
    Type.String({
      maxLength: 2_048,
      description: `A regional endpoint or an emulator; ${service} without it.`,
    }),
  ),
});

/** Returns the shape of the secrets; `rights` says what the account needs. */
export const describeServiceAccount = (rights: string) =>
  Type.Object({
    credentials: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: `Text of the JSON key file of a service account that may ${rights}.`,
    }),
  });

interface ServiceAccount {
  email: string;
  keyId: string;
  key: KeyObject;
}

/** Parses the JSON key file. Its errors name the fault, never the content. */
export function readServiceAccount(text: string): ServiceAccount {
  const file = parse(text);
  const members = isJsonObject(file) ? file : {};
  const { client_email: email, private_key_id: keyId, private_key: pem } = members;
  if (typeof email !== "string" || typeof keyId !== "string" || typeof pem !== "string") {
    throw new Error("lacks `client_email`, `private_key_id` or `private_key`: enter the whole key file");
  }
  const key = readRsaKey(pem);
  if (typeof key === "string") throw new Error(`has a \`private_key\` that ${key}`);
  return { email, keyId, key };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("is not JSON: enter the text of the key file");
  }
}

/**
 * Returns a function that gives the bearer token for an audience. Needs no exchange with Google's token endpoint
 * (https://developers.google.com/identity/protocols/oauth2/service-account#jwt-auth).
 */
export const createGoogleBearer = (
  { email, keyId, key }: ServiceAccount,
  audience: string,
): (() => Promise<string>) => openBearer({ issuer: email, subject: email, audience, keyId, key });

/** Checks what a schema cannot express: forbidden endpoints, and what is no key file. */
export const checkGoogle = (
  {
    config: { endpointUrl },
    secrets: { credentials },
  }: { config: { endpointUrl?: string }; secrets: { credentials: string } },
  network: AddressRules,
): Fault[] => [...checkEndpoint(endpointUrl, network), ...checkKeyFile(credentials)];

function checkKeyFile(text: string): Fault[] {
  try {
    readServiceAccount(text);
    return [];
  } catch (error) {
    const detail = error instanceof Error ? error.message : "cannot be read";
    return [{ name: "secrets.credentials", detail }];
  }
}

/**
 * Returns the audience of tokens for an endpoint. Google's other endpoints
 * (https://cloud.google.com/pubsub/docs/reference/service_apis_overview) expect the service's own name; a bearer token for another
 * server is worthless at Google.
 */
export const getGoogleAudience = (url: URL, service: string): string =>
  `${url.protocol === "https:" && url.host.endsWith(".googleapis.com") ? service : url.origin}/`;

/** Returns the outcome of a refusal `{"error": {"status": "NOT_FOUND", "message": "…"}}`. Never `gone`: what is missing can be created again. */
export function explainGoogleRefusal(outcome: Outcome, error: Json | undefined): Outcome {
  const { status, message } = isJsonObject(error) ? error : {};
  const said = typeof status === "string" && typeof message === "string" && `${status}: ${message}`;
  return { ...outcome, kind: "failed", ...(said && { error: said }) };
}
