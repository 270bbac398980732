/** Parses the bracket form of nested fields into steps: `$['address']['city']`, `$['emails'][?primary]['value']`. */

/** One entry of a list. */
export type ListStep =
  | { at: number }
  /** The first entry whose member, named by its steps, has this value. */
  | { member: string[]; is: string | number | boolean };

/** The name of a member, or an entry of a list. */
export type PathStep = string | ListStep;

type FieldPath = { steps: string[] } | { fault: string };
type ValuePath = { steps: PathStep[] } | { fault: string };

/** Returns whether a field name is a path. A plain name may begin with `$` too. */
export const isFieldPath = (name: string): boolean => name.startsWith("$[") || name.startsWith("$.");

/**
 * Returns the steps of a bracket path, or the plain name as the only step. Steps must be quoted; a quote or backslash
 * inside a step is escaped with a backslash. An entry of a list is a fault: see `parseValuePath`.
 */
export function parseFieldPath(name: string): FieldPath {
  const path = parseValuePath(name);
  if ("fault" in path) return path;
  const steps = path.steps.filter((step) => typeof step === "string");
  const into = path.steps.find((step) => typeof step !== "string");
  return into
    ? { fault: `${formatListStep(into)} chooses an entry of a list, and only names fit here` }
    : { steps };
}

/** Returns the steps of a path to a value; steps after the first may choose an entry of a list. */
export function parseValuePath(name: string): ValuePath {
  if (!isFieldPath(name)) return name === "" ? { fault: "it is empty" } : { steps: [name] };
  const steps: PathStep[] = [];
  let rest = name.slice(1);
  while (rest !== "") {
    const offset = name.length - rest.length;
    const found = nameStep(rest) ?? listStep(rest);
    if (!found) return { fault: describePathFault(rest, offset) };
    const { step, length } = found;
    if (step === "") return { fault: `the step at character ${offset + 1} is empty` };
    if (typeof step !== "string" && steps.length === 0)
      return { fault: `it begins with ${formatListStep(step)}, not with the name of a field` };
    steps.push(step);
    rest = rest.slice(length);
  }
  return { steps };
}

interface Found {
  step: PathStep;
  length: number;
}

const unescape = (text: string): string => text.replace(/\\(.)/gs, "$1");

function nameStep(rest: string): Found | undefined {
  const match = /^\[(['"])((?:\\.|(?!\1)[^\\])*)\1\]/s.exec(rest);
  return match ? { step: unescape(match[2] ?? ""), length: match[0].length } : undefined;
}

/** A name in a condition: letters, digits, `_` and `-`, with dots for a member of a member. */
const MEMBER = /^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}_][\p{L}\p{N}_-]*)*/u;
const VALUE = /^=(?:(true|false)|(-?\d{1,15}(?:\.\d{1,15})?)|(['"])((?:\\.|(?!\3)[^\\])*)\3)$/s;

function listStep(rest: string): Found | undefined {
  const position = /^\[(0|[1-9]\d{0,4})\]/.exec(rest);
  if (position) return { step: { at: Number(position[1]) }, length: position[0].length };
  if (!rest.startsWith("[?")) return undefined;
  const member = MEMBER.exec(rest.slice(2))?.[0];
  if (member === undefined) return undefined;
  const after = rest.slice(2 + member.length);
  const step = { member: member.split("."), is: true };
  if (after.startsWith("]")) return { step, length: 3 + member.length };
  const quoted = /^=(?:(['"])(?:\\.|(?!\1)[^\\])*\1|[^'"\]]*)(?=\])/s.exec(after)?.[0];
  const match = quoted === undefined ? undefined : VALUE.exec(quoted);
  if (!match || quoted === undefined) return undefined;
  const [, flag, number, , text = ""] = match;
  const is = flag !== undefined ? flag === "true" : number !== undefined ? Number(number) : unescape(text);
  return { step: { ...step, is }, length: 3 + member.length + quoted.length };
}

const LIST_STEPS = "[0], [?primary] or [?label='work']";

function describePathFault(rest: string, offset: number): string {
  const where = `at character ${offset + 1}`;
  if (rest.startsWith(".")) return `dots are not understood (${where})`;
  if (!rest.startsWith("[")) return `something stands outside the brackets (${where})`;
  if (rest.startsWith("[*]"))
    return `the step ${where} is for all entries of a list: choose one by ${LIST_STEPS}, or end the path before it for the whole list`;
  if (/^\[[-?\d]/.test(rest)) return `the step ${where} is no entry of a list such as ${LIST_STEPS}`;
  if (!/^\[['"]/.test(rest)) return `the step ${where} is not in quotes`;
  return `the bracket opened ${where} is not closed properly`;
}

const quote = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;

/** Formats an entry of a list as a path writes it. */
export function formatListStep(step: ListStep): string {
  if ("at" in step) return `[${step.at}]`;
  const { member, is } = step;
  const value = is === true ? "" : `=${typeof is === "string" ? quote(is) : is}`;
  return `[?${member.join(".")}${value}]`;
}

/** Formats steps in brackets; a single step is returned as a plain name. */
export const formatFieldPath = (steps: readonly PathStep[]): string =>
  steps.length === 1 && typeof steps[0] === "string"
    ? steps[0]
    : `$${steps.map((step) => (typeof step === "string" ? `[${quote(step)}]` : formatListStep(step))).join("")}`;

/** Returns whether a name is a path that chooses an entry of a list. */
export const leadsIntoList = (name: string): boolean => {
  const path = parseValuePath(name);
  return "steps" in path && path.steps.some((step) => typeof step !== "string");
};
