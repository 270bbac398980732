/** Connection to a simulated account: a value for each placeholder of the description. */
import type { Description } from "../connector-kit/declarative/rules/description.ts";
import type { Account } from "../connector-kit/calls/provider-fetch.ts";

/** Builds the values. Each has a character that is encoded in paths. */
export function buildAccountValues(description: Description): Account {
  const names = JSON.stringify(description).matchAll(/\{connection\.(\w+)\}/g);
  return { values: Object.fromEntries(Array.from(names, ([, name = ""]) => [name, `own ${name}`])) };
}
