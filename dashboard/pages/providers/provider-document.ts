/** Reads the document of a provider from YAML or JSON, and finds the places in the text that are named by paths. */
import { isMap, isNode, isScalar, isSeq, parseDocument, stringify, type Node } from "yaml";

export interface DocumentFault {
  /** Offsets in the text. */
  from: number;
  to: number;
  /** Counted from 1. */
  line: number;
  message: string;
}

interface ReadDocument {
  /** Undefined if the text is not YAML, or not an object. */
  document: Record<string, unknown> | undefined;
  faults: readonly DocumentFault[];
  /** Returns the fault with its place, such as `connector.objects.people.create.path`, or the nearest one that is there. */
  faultAt(path: string, message: string): DocumentFault;
}

/** Members in the order in which one reads them, because the API keeps none; others are between them. */
const FIRST = [
  "displayName",
  "name",
  "authType",
  "baseURL",
  "grantType",
  "method",
  "path",
  "defaults",
  "objects",
];
const LAST = ["errors", "limits", "sources", "connector"];

export const formatDocument = (document: Readonly<Record<string, unknown>>): string =>
  stringify(document, { sortMapEntries: (one, other) => rankMember(one.key) - rankMember(other.key) });

function rankMember(key: unknown): number {
  const name = String(isScalar(key) ? key.value : key);
  if (LAST.includes(name)) return FIRST.length + 1 + LAST.indexOf(name);
  return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
}

export function readDocument(text: string): ReadDocument {
  const parsed = parseDocument(text, { prettyErrors: false });
  const toFault = (from: number, to: number, message: string): DocumentFault => ({
    from,
    to: Math.max(from, to),
    line: text.slice(0, from).split("\n").length,
    message,
  });
  const faultAt = (path: string, message: string) => {
    const [from, to] = findRangeAt(parsed.contents, path);
    return toFault(from, to, path === "" ? message : `${path}: ${message}`);
  };
  const faults = parsed.errors.map(({ pos: [from, to], message }) => toFault(from, to, message));
  if (faults.length > 0) return { document: undefined, faults, faultAt };
  const document: unknown = parsed.toJS();
  if (isObject(document)) return { document, faults: [], faultAt };
  return {
    document: undefined,
    faults: [toFault(0, text.trimEnd().length, "The document must be an object.")],
    faultAt,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Range = readonly [from: number, to: number];

/** A place that is a list or a map is shown by its key; a member that is missing, by what it is missing in. */
function findRangeAt(root: unknown, path: string): Range {
  let shown: Range = [0, 0];
  let [node, rest]: [unknown, string] = [root, path];
  while (rest !== "") {
    const step = stepInto(node, rest);
    if (!step) return shown;
    shown = findRange(isScalar(step.value) ? step.value : (step.key ?? step.value)) ?? shown;
    [node, rest] = [step.value, step.rest];
  }
  return shown;
}

interface Step {
  key?: Node;
  value: unknown;
  /** Rest of the path after this step. */
  rest: string;
}

/** Names may have dots, so the path is compared with the members that are there. */
function stepInto(node: unknown, path: string): Step | undefined {
  if (isSeq(node)) {
    const [step, index = ""] = /^\[(\d+)\]\.?/.exec(path) ?? [];
    return step === undefined
      ? undefined
      : { value: node.items[Number(index)], rest: path.slice(step.length) };
  }
  if (!isMap(node)) return undefined;
  for (const { key, value } of node.items) {
    const name = String(isScalar(key) ? key.value : key);
    const rest = path.slice(name.length);
    if (path.startsWith(name) && /^($|[.[])/.test(rest))
      return { ...(isNode(key) && { key }), value, rest: rest.replace(/^\./, "") };
  }
  return undefined;
}

const findRange = (node: unknown): Range | undefined => {
  const range = isNode(node) ? node.range : undefined;
  return range ? [range[0], range[1]] : undefined;
};
