/** Faults of single members of a description: paths, places in requests, ways of paging. */
import type { ProviderFault } from "../../provider/check-provider.ts";

/** Placeholders of a path. */
export const HOLES = ["path", "singular", "id"];

export const toFaults = (path: string, message: string | undefined): ProviderFault[] =>
  message === undefined ? [] : [{ path, message }];

const TARGETS = {
  query: { form: "query.<name>", pattern: /^query\.[^.].*$/ },
  body: { form: "body.<path>", pattern: /^body\.[^.].*$/ },
  fill: { form: "fill.<name>", pattern: /^fill\.[A-Za-z]\w*$/ },
  header: { form: "header.<name>", pattern: /^header\.[A-Za-z][A-Za-z0-9-]*$/ },
};

export function findTargetFault(
  value: string | undefined,
  parts: (keyof typeof TARGETS)[] = ["query", "body"],
): string | undefined {
  if (value === undefined || parts.some((part) => TARGETS[part].pattern.test(value))) return undefined;
  const forms = parts.map((part) => TARGETS[part].form);
  return `must be ${forms.slice(0, -1).join(", ")} or ${forms.at(-1)}`;
}

export function findPathFault(value: string | undefined, holes: string[] = HOLES): string | undefined {
  if (value === undefined) return undefined;
  if (!/^\/[^/]/.test(value)) return "must begin with one /";
  if (/(^|\/)\.\.?(\/|$)|[\\#]/.test(value)) return "must not contain . or .. as a step, \\ or #";
  // Without the opening brace in the class, a path of many braces would take seconds.
  const unknown = [...value.matchAll(/\{([^{}]*)\}/g)]
    .map(([, name = ""]) => name)
    .find(
      (name) =>
        !holes.includes(name) &&
        !OF_CONNECTION.test(name) &&
        !(holes.includes(ANY_FIELD) && OF_FIELD.test(name)),
    );
  if (unknown !== undefined)
    return `has the unknown placeholder {${unknown}}; known are ${[...holes, "connection.<name>"].join(", ")}`;
  return /[{}]/.test(value.replaceAll(/\{[a-z]+(\.\w+)?\}/g, ""))
    ? "has a brace without its partner"
    : undefined;
}

/** Fields of the record in the path of a create. */
export const ANY_FIELD = "field.<name>";
const OF_FIELD = /^field\.[A-Za-z]\w*$/;
const OF_CONNECTION = /^connection\.[A-Za-z]\w*$/;

/** Texts may have braces of the provider's own; only placeholders of the connection are recognised by their form. */
export const findTextFault = (value: unknown): string | undefined =>
  typeof value === "string" &&
  [...value.matchAll(/\{(connection\b[^}]*)(\}?)/g)].some(
    ([, name = "", end]) => end === "" || !OF_CONNECTION.test(name),
  )
    ? "must name a value of the connection as {connection.<name>}"
    : undefined;
