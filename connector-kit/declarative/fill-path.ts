/** Fills the placeholders of paths and texts: names of the object, the record's id, values of the connection. */
import { ProviderError } from "../calls/provider-error.ts";
import type { ObjectPlan } from "./object-plan.ts";

const PLACEHOLDER = /\{(path|singular|id|key|value|parent|connection\.\w+)\}/g;
const OF_CONNECTION = "connection.";

/**
 * Fills a path. What comes from callers and from the connection is encoded: it cannot change the path. Throws `ProviderError`
 * for a value that the connection does not have.
 */
export function fillPath(
  template: string,
  plan: ObjectPlan,
  id?: string,
  upsert?: { key: string; value: string },
): string {
  const values: Record<string, string> = {
    path: plan.path ?? plan.name,
    singular: plan.singular ?? plan.name,
    id: encodePathStep(id ?? "", "{id}"),
    key: encodeURIComponent(upsert?.key ?? ""),
    value: encodePathStep(upsert?.value ?? "", "the key"),
    parent: encodePathStep(plan.parentValue ?? "", "{parent}"),
  };
  return template.replaceAll(PLACEHOLDER, (_, name: string) =>
    name.startsWith(OF_CONNECTION)
      ? encodePathStep(getConnectionValue(plan, name), `{${name}}`)
      : (values[name] ?? ""),
  );
}

/** Dots alone would be resolved as a step up, however they are encoded. */
export function encodePathStep(value: string, placeholder: string): string {
  if (value !== "." && value !== "..") return encodeURIComponent(value);
  const message = `the value ${JSON.stringify(value)} of ${placeholder} cannot be part of an address`;
  throw new ProviderError({ kind: "invalid", message });
}

/** Fills a text that is encoded later. `parts` are the object's own placeholders; one without a value is empty. */
export const fillText = (template: string, plan: ObjectPlan, parts: Record<string, string> = {}): string =>
  template.replaceAll(/\{(\w+|connection\.\w+)\}/g, (whole, name: string) => {
    if (Object.hasOwn(parts, name)) return parts[name] ?? "";
    if (name === "path") return plan.path ?? plan.name;
    if (name === "singular") return plan.singular ?? plan.name;
    if (name === "parent") return plan.parentValue ?? "";
    return name.startsWith(OF_CONNECTION) ? getConnectionValue(plan, name) : whole;
  });

function getConnectionValue({ connection }: ObjectPlan, placeholder: string): string {
  const name = placeholder.slice(OF_CONNECTION.length);
  const value = connection && Object.hasOwn(connection, name) ? connection[name] : undefined;
  if (value !== undefined && value !== "") return value;
  const message = `the connection has no value ${JSON.stringify(name)}; connect the account again, or set it in the connection`;
  throw new ProviderError({ kind: "invalid", message });
}

/** Returns the placeholders that places of requests fill: those named by `fill.<name>`. */
export function listFilledNames({ list, paging, since }: ObjectPlan): string[] {
  const { cursor, page, offset, keyset } = paging ?? {};
  return [list?.pageSize?.to, since?.to, cursor?.to, page?.to, offset?.to, keyset?.to].flatMap((target) =>
    target?.startsWith("fill.") ? [target.slice("fill.".length)] : [],
  );
}
