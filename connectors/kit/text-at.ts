/** Reads one value out of a provider's JSON answer by a path that the catalog names. */
import { isJsonObject, type Json } from "../../server/ground/json.ts";

/** The text or number at a dotted path such as `owner.user.id`; a number in the path counts into a list. */
export function textAt(answer: Json, path: string): string | undefined {
  let value: Json | undefined = answer;
  for (const name of path.split(".")) {
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
