/** Authenticates requests to Google with a bearer token that the service account's key has signed. */
import type { KeyObject } from "node:crypto";
import { isJsonObject, type Json } from "../server/ground/json.ts";
import type { Fault } from "./destination.ts";
import { openBearer, readRsaKey } from "./signed-bearer.ts";

export interface ServiceAccount {
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
export const googleBearer = (
  { email, keyId, key }: ServiceAccount,
  audience: string,
): (() => Promise<string>) => openBearer({ issuer: email, subject: email, audience, keyId, key });

/** Returns the fault of the text of a key file, if it has one. */
export function checkServiceAccount(name: string, text: string): Fault[] {
  try {
    readServiceAccount(text);
    return [];
  } catch (error) {
    return [{ name, detail: error instanceof Error ? error.message : "cannot be read" }];
  }
}
