/** Checks names of topics and destinations. */
import { toMemberProblem } from "../../ground/member-problem.ts";

const MAX_LENGTH = 64;

/** Returns the name. `member` is its place in the body. Throws a 422 Problem. */
export function checkName(name: string, member = "name"): string {
  if (name.length <= MAX_LENGTH && /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/.test(name)) return name;
  const detail = `must be 1 to ${MAX_LENGTH} letters, digits and dashes, with no dash at either end`;
  throw toMemberProblem(member, detail, { slug: "semantically-invalid", value: name });
}
