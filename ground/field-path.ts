/** Parses the bracket form of nested fields, `$['address']['city']`, into steps. */

export type FieldPath = { steps: string[] } | { fault: string };

/** Whether a field name is a path. A plain name may begin with `$` too. */
export const isFieldPath = (name: string): boolean => name.startsWith("$[") || name.startsWith("$.");

/**
 * Returns the steps of a bracket path, or the plain name as the only step. Steps must be quoted; a quote or backslash
 * inside a step is escaped with a backslash.
 */
export function parseFieldPath(name: string): FieldPath {
  if (!isFieldPath(name)) return name === "" ? { fault: "it is empty" } : { steps: [name] };
  const steps: string[] = [];
  let rest = name.slice(1);
  while (rest !== "") {
    const match = /^\[(['"])((?:\\.|(?!\1)[^\\])*)\1\]/s.exec(rest);
    if (!match) return { fault: faultAt(rest, name.length - rest.length) };
    const step = (match[2] ?? "").replace(/\\(.)/gs, "$1");
    if (step === "") return { fault: `the step at character ${name.length - rest.length + 1} is empty` };
    steps.push(step);
    rest = rest.slice(match[0].length);
  }
  return { steps };
}

function faultAt(rest: string, offset: number): string {
  const where = `at character ${offset + 1}`;
  if (rest.startsWith(".")) return `dots are not understood (${where})`;
  if (!rest.startsWith("[")) return `something stands outside the brackets (${where})`;
  if (!/^\[['"]/.test(rest)) return `the step ${where} is not in quotes`;
  return `the bracket opened ${where} is not closed properly`;
}

/** Formats steps in brackets; a single step is returned as a plain name. */
export const formatFieldPath = (steps: readonly string[]): string =>
  steps.length === 1
    ? (steps[0] ?? "")
    : `$${steps.map((step) => `['${step.replace(/[\\']/g, "\\$&")}']`).join("")}`;
