/** Faults of single members of a description: paths, places in requests, ways of paging. */
import type { ProviderFault } from "../check-provider.ts";
import type { PagingRules } from "./paging-rules.ts";

/** Placeholders of a path. */
export const HOLES = ["path", "singular", "id"];

export const fault = (path: string, message: string | undefined): ProviderFault[] =>
  message === undefined ? [] : [{ path, message }];

export const targetFault = (value: string | undefined): string | undefined =>
  value === undefined || /^(query|body)\.[^.].*$/.test(value)
    ? undefined
    : "must be query.<name> or body.<path>";

export function pathFault(value: string | undefined, holes: string[] = HOLES): string | undefined {
  if (value === undefined) return undefined;
  if (!/^\/[^/]/.test(value)) return "must begin with one /";
  if (/(^|\/)\.\.?(\/|$)|[\\#]/.test(value)) return "must not contain . or .. as a step, \\ or #";
  const unknown = [...value.matchAll(/\{([^}]*)\}/g)]
    .map(([, name = ""]) => name)
    .find((name) => !holes.includes(name));
  if (unknown !== undefined) return `has the unknown placeholder {${unknown}}; known are ${holes.join(", ")}`;
  return /[{}]/.test(value.replaceAll(/\{[a-z]+\}/g, "")) ? "has a brace without its partner" : undefined;
}

export function pagingFault(paging: PagingRules): string | undefined {
  const styles = Object.entries(paging).filter(([, value]) => value !== undefined && value !== false);
  return styles.length === 1
    ? undefined
    : "must have exactly one of cursor, nextUrl, link, page, offset, keyset and none";
}
