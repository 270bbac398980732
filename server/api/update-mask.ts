/** Picks the members of a PATCH body that its `updateMask` lists; all others are ignored. */
import { Type } from "typebox";
import { toMemberProblem } from "../../ground/member-problem.ts";

export const UpdateMask = Type.Array(Type.String(), {
  minItems: 1,
  description:
    "Paths of the members to change, with dots. Busbar ignores members of the body that are not listed.",
});

/** Returns the listed members. Throws a 400 Problem for an unknown path, and a `missing` Problem for a path without a value. */
export function pickMasked<Source extends object, Name extends keyof Source & string>(
  mask: string[],
  source: Source,
  allowed: readonly Name[],
  /** The member of the body that holds the values, for example `providerApp`. */
  member: string,
  missing: "invalid-request" | "semantically-invalid" = "invalid-request",
): Pick<Source, Name> {
  const picked = mask.map((path) => {
    const name = allowed.find((candidate) => candidate === path.replaceAll("\\", ""));
    if (name === undefined) {
      throw toMemberProblem("updateMask", `\`${path}\` cannot be updated; these can: ${allowed.join(", ")}.`);
    }
    if (source[name] === undefined)
      throw toMemberProblem(`${member}.${name}`, "is missing, but `updateMask` names it.", { slug: missing });
    return [name, source[name]] as const;
  });
  // TypeScript cannot infer that names come from `allowed` and values from `source`.
  return Object.fromEntries(picked) as Pick<Source, Name>;
}
