/** Moves fields of a new record into the path of its request: the list, the account, or the parent that it belongs to. */
import type { Json, JsonObject } from "../../ground/json.ts";
import { ProviderError } from "../calls/provider-error.ts";
import { pathStep } from "./fill-path.ts";

const FIELD = /\{field\.(\w+)\}/g;

/** Returns the path with the values, and the other fields. Throws `ProviderError` as `pathFieldFault` returns it. */
export function movedIntoPath(template: string, fields: JsonObject): { path: string; fields: JsonObject } {
  const names = namesIn(template);
  if (names.length === 0) return { path: template, fields };
  const fault = pathFieldFault(template, fields);
  if (fault) throw fault;
  const path = template.replaceAll(FIELD, (whole, name: string) =>
    pathStep(findStep(fields[name]) ?? "", whole),
  );
  return {
    path,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))),
  };
}

/** Returns why a value cannot be part of the path; undefined if all can. */
export function pathFieldFault(template: string, fields: JsonObject): ProviderError | undefined {
  const missing = namesIn(template).find((name) => !isStep(findStep(fields[name])));
  if (missing === undefined) return undefined;
  const message = `${missing} must have a value: it is part of the address that creates the record`;
  return new ProviderError({ kind: "invalid", message });
}

const namesIn = (template: string): string[] => Array.from(template.matchAll(FIELD), ([, name = ""]) => name);

const findStep = (value: Json | undefined): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const isStep = (step: string | undefined): boolean =>
  step !== undefined && step !== "" && step !== "." && step !== "..";
