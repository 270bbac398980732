/** Tells whether an answer is about another record than the one that was asked for. */
import { hash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";

/** Names of a record that stand for its id in a request. */
const ALIASES = new Set(["me", "self", "primary", "current", "default"]);
const MAX_LEVELS = 3;

/**
 * Returns whether an answer names another record. The same one may have another id in it: in capitals, without dashes, below an address
 * (`gid://shopify/Customer/7`), or where the caller named it by a field, such as a login.
 */
export function isOtherRecord(asked: string, answered: string, record: Json | undefined): boolean {
  const [id, other] = [asked, answered].map(simplify);
  if (id === undefined || other === undefined || id === other || ALIASES.has(id)) return false;
  if (other.endsWith(`/${id}`) || id.endsWith(`/${other}`)) return false;
  // A number is an id, not a name.
  return record === undefined || /^\d+$/.test(id) || !hasText(record, id, MAX_LEVELS);
}

/** Returns whether an update sets what the id is made of, such as a login, or at Mailchimp the address of which the id is a hash. */
export function isRenamed(answered: string, fields: JsonObject, keyHash: string | undefined): boolean {
  const texts = Object.values(fields).filter((value) => typeof value === "string");
  return texts.some((text) =>
    keyHash === undefined
      ? !/^\d+$/.test(text) && simplify(text) === simplify(answered)
      : hash(keyHash, text.toLowerCase()) === answered,
  );
}

const simplify = (id: string): string => id.toLowerCase().replaceAll(/[-{}]/g, "");

function hasText(value: Json, id: string, levels: number): boolean {
  if (typeof value === "string") {
    const text = simplify(value);
    // Recurly: `code-ada` for the account with this code.
    return text !== "" && id.endsWith(text) && text.length * 2 >= id.length;
  }
  if (levels === 0 || value === null || typeof value !== "object") return false;
  const members = isJsonObject(value) ? Object.values(value) : value;
  return members.some((member) => hasText(member, id, levels - 1));
}
