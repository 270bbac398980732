/** Faults of the part of a description for objects whose names only the account knows. */
import type { ProviderFault } from "../../provider/check-provider.ts";
import { patternFault } from "../../provider/pattern-fault.ts";
import type { Description } from "../rules/description.ts";
import { fault } from "./member-faults.ts";
import { isOther } from "../object-plan.ts";

/** Names that would lead to another address. */
const UNSAFE = ["", ".", "..", "../a", "a/../b", "a//b", "/a", "a?b", "a#b", "a%2fb", "a b"];

export function othersFaults(others: NonNullable<Description["others"]>, path: string): ProviderFault[] {
  const refused = patternFault(others.pattern, true);
  if (refused !== undefined) return fault(`${path}.pattern`, refused);
  const unsafe = UNSAFE.find((name) => isOther(others, name));
  return [
    ...(unsafe === undefined
      ? []
      : fault(`${path}.pattern`, `matches ${JSON.stringify(unsafe)}, which would change a path`)),
    ...(isOther(others, others.like) ? [] : fault(`${path}.like`, "does not match the pattern")),
  ];
}
