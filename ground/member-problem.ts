/** Refuses a request because of one of its members. */
import { suggestName } from "./closest.ts";
import { Problem, type Issue } from "./errors.ts";
import type { ProblemSlug } from "./problem-types.ts";

interface MemberProblemOptions {
  /** Default: `invalid-request`. */
  slug?: ProblemSlug;
  /** Where the member is. Default: in the body. */
  in?: Issue["in"];
  /** The refused value. */
  value?: unknown;
}

/** Returns a Problem with one issue. Its detail is that of the issue behind the member's name. */
export function toMemberProblem(name: string, detail: string, options: MemberProblemOptions = {}): Problem {
  const { slug = "invalid-request", in: place = "body", value } = options;
  return new Problem(slug, {
    detail: `${name}: ${detail}`,
    issues: [{ in: place, name, detail, ...(value !== undefined && { value }) }],
  });
}

/** Returns the Problem of a text that is none of those that are known, with the one that was probably meant. */
export function refuseUnknownValue(name: string, value: string, known: readonly string[]): Problem {
  const detail = `must be one of ${known.join(", ")}`;
  const remedy = suggestName(value, known, "");
  return new Problem("semantically-invalid", {
    detail: `${name}: ${detail}${remedy ? `. ${remedy}` : ""}`,
    issues: [{ in: "body", name, detail, value, ...(remedy && { remedy }) }],
  });
}

/** Awaits a look-up of what a member of the body names. A Problem of the look-up then names the member and keeps its detail. */
export async function lookUpMember<Found>(
  name: string,
  value: string,
  lookUp: Promise<Found>,
): Promise<Found> {
  try {
    return await lookUp;
  } catch (error) {
    if (!(error instanceof Problem) || error.options.issues) throw error;
    const { detail = "" } = error.options;
    const issues: Issue[] = [{ in: "body", name, detail, value }];
    throw new Problem(error.slug, { ...error.options, issues });
  }
}
