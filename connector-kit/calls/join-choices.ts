/** Writes several choices of one field as HubSpot and Salesforce take them. */
import type { Json } from "../../ground/json.ts";

/** Returns a list of texts, numbers and booleans as one text, `a;b`, an empty one as null; other values unchanged. */
export function joinChoices(value: Json): Json {
  if (!Array.isArray(value) || value.some((item) => typeof item === "object")) return value;
  return value.length === 0 ? null : value.join(";");
}
