/** Refuses upserts that cannot be carried out, before anything is sent. */
import type { WriteAbilities } from "../../connector-kit/connector.ts";
import { Problem, type Issue } from "../../ground/errors.ts";
import type { ObjectSettings } from "./object-settings.ts";
import type { WriteRequest } from "./write-request.ts";

export type Fault = Pick<Issue, "name" | "detail">;

/** Returns why the provider cannot upsert this object by this key. */
export function upsertLacks(
  { key }: WriteRequest,
  { providerName, objectName }: ObjectSettings,
  { upsert }: WriteAbilities,
): Fault[] {
  const instead = "Look the record up with a search, then create or update it.";
  if (upsert === true) return [];
  if (upsert === false)
    return [{ name: "type", detail: `${providerName} has no upsert of its own. ${instead}` }];
  const keys = Object.hasOwn(upsert, objectName) ? upsert[objectName] : undefined;
  if (!keys) {
    const known = Object.keys(upsert).join(", ");
    return [{ name: "type", detail: `${providerName} upserts ${known}, but not ${objectName}. ${instead}` }];
  }
  if (key === undefined || keys.some((name) => name.toLowerCase() === key.toLowerCase())) return [];
  return [{ name: "key", detail: `${providerName} upserts ${objectName} by ${keys.join(" or ")} only.` }];
}

/** Returns the faults of the members of an upsert, and of a `key` without one. */
export function findUpsertFaults({ type, key, record, batch }: WriteRequest): Fault[] {
  if (type !== "upsert")
    return key === undefined ? [] : [{ name: "key", detail: "It applies to an upsert only; leave it out." }];
  const faults: Fault[] = [];
  if (key === undefined)
    faults.push({ name: "key", detail: "Name the field whose value names the record, for example `email`." });
  const given = batch?.map((item) => item.record) ?? (record ? [record] : []);
  for (const [index, fields] of given.entries())
    if (fields["id"] !== undefined)
      faults.push({
        name: `${batch ? `batch[${index}].record` : "record"}.id`,
        detail: "An upsert finds the record by `key`; leave the id out, or send an update.",
      });
  return faults;
}

/** Throws a Problem that names the records without a value of the key. */
export function refuseKeyless(places: string[], key: string): void {
  if (places.length === 0) return;
  const detail = "The key of an upsert needs a text or a number, and may not be withheld.";
  throw new Problem("invalid-request", {
    detail: `${places.slice(0, 5).join(", ")}: ${detail}`,
    issues: places.slice(0, 50).map((place) => ({ in: "body", name: `${place}.${key}`, detail })),
  });
}

export function describeUnmappedKey(key: string): Problem {
  const detail = `The customer has not mapped \`${key}\` to a field.`;
  return new Problem("invalid-request", { detail, issues: [{ in: "body", name: "key", detail }] });
}
