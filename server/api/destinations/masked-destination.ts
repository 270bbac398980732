/** Applies the `updateMask` of a destination: paths of one or two steps; values are replaced as a whole. */
import { toMemberProblem } from "../../../ground/member-problem.ts";

export interface DestinationChange {
  name: string;
  type: string;
  metadata: Record<string, unknown>;
  secrets: Record<string, unknown>;
  ownWrites: string | null;
}

/** Members of destinations of the type. */
interface Members {
  metadata: string[];
  secrets: string[];
}

/** Returns the changed destination, and whether the change enables it. Throws a Problem. */
export function maskDestination(
  mask: string[],
  source: Partial<DestinationChange>,
  before: DestinationChange,
  members: Members,
): DestinationChange & { enable: boolean } {
  const after = { ...before, metadata: { ...before.metadata }, secrets: { ...before.secrets } };
  for (const path of mask) apply(parse(path, members), path, source, after);
  const enable = mask.some((path) => path === "metadata" || path === "metadata.url");
  return { ...after, enable };
}

function apply(
  { group, member }: Step,
  path: string,
  source: Partial<DestinationChange>,
  after: DestinationChange,
): void {
  if (group === "name") {
    after.name = requirePresent(source.name, path);
  } else if (group === "ownWrites") {
    after.ownWrites = requirePresent(source.ownWrites, path);
  } else if (group === "type") {
    keepType(requirePresent(source.type, path), after.type);
  } else if (member === undefined) {
    const values = requirePresent(source[group], path);
    after[group] = group === "metadata" ? { ...values } : { ...after.secrets, ...values };
  } else {
    const value = requirePresent(source[group]?.[member], path);
    if (value === null) delete after[group][member];
    else after[group][member] = value;
  }
}

type Step =
  | { group: "name" | "type" | "ownWrites"; member?: undefined }
  | { group: "metadata" | "secrets"; member: string | undefined };

function parse(path: string, members: Members): Step {
  if (path === "name" || path === "type" || path === "ownWrites") return { group: path };
  const [group, member, ...rest] = path.split(".");
  const isKnown = group === "metadata" || group === "secrets";
  if (isKnown && (member === undefined || (members[group].includes(member) && rest.length === 0))) {
    return { group, member };
  }
  const known = (["metadata", "secrets"] as const).flatMap((one) => [
    one,
    ...members[one].map((name) => `${one}.${name}`),
  ]);
  throw toMemberProblem(
    "updateMask",
    `\`${path}\` cannot be updated; these can: name, ownWrites, ${known.join(", ")}.`,
  );
}

function requirePresent<Value>(value: Value | undefined, path: string): Value {
  if (value !== undefined) return value;
  throw toMemberProblem(`destination.${path}`, "is missing, but `updateMask` names it.");
}

function keepType(asked: string, type: string): void {
  if (asked === type) return;
  const detail = `is \`${type}\` and cannot be changed. Create another destination.`;
  throw toMemberProblem("destination.type", detail, { slug: "semantically-invalid", value: asked });
}
