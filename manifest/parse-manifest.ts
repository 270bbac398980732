/** Reads YAML text into plain data with positions, within limits that hold for any text. */
import {
  LineCounter,
  isScalar,
  parseDocument,
  isSeq,
  isMap,
  visit,
  isPair,
  isAlias,
  type YAMLMap,
  type Document,
  type Alias,
  type Node,
  type Pair,
  type YAMLError,
} from "yaml";
import type { Json } from "../ground/json.ts";
import { formatPath, type Finding, type Path, type Position, type FindPosition } from "./finding.ts";
import { readMessage } from "../ground/errors.ts";

const MAX_BYTES = 262_144;
const MAX_DEPTH = 50;
/**
 * Limit on nodes reached through aliases, and on members that `<<` merges, those of merged maps included: without it a small file can
 * expand to billions.
 */
const MAX_ALIASED_NODES = 10_000;
const MAX_SYNTAX_FINDINGS = 20;

const OPTIONS = {
  prettyErrors: false,
  stringKeys: true,
  // The parser compares every key with every other one; ours are compared below.
  uniqueKeys: false,
  logLevel: "error",
  merge: false,
  resolveKnownTags: false,
  schema: "core",
} as const;

interface ManifestDocument {
  data: Json;
  /**
   * For a block that starts below its key the position of the key; for a path that is not in the file that of the
   * nearest parent.
   */
  findPosition: FindPosition;
}

/** Parses the text. Never throws. Without `document` the text could not be read, and `findings` has the reason. */
export function parseManifest(source: string): { document?: ManifestDocument; findings: Finding[] } {
  const findings: Finding[] = [];
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const refuse = (rule: Finding["rule"], offset: number, message: string, remedy: string) => {
    findings.push({ severity: "error", rule, message, ...at(offset), path: "$", remedy });
    return { findings };
  };
  const sizeBytes = new TextEncoder().encode(source).length;
  if (sizeBytes > MAX_BYTES) {
    return refuse(
      "manifest-size",
      0,
      `The file has ${sizeBytes} bytes; at most ${MAX_BYTES} are read.`,
      "Split it into several files.",
    );
  }
  try {
    const parsed = withoutStacks(() => parseDocument(source, { ...OPTIONS, lineCounter: lines }));
    if (parsed.errors.length > 0) {
      for (const error of keepFirstPerLine(parsed.errors, at))
        refuse("yaml-syntax", openQuote(error, parsed) ?? error.pos[0], ...explainSyntax(error));
      return { findings };
    }
    const document = readTree(parsed.contents, at, findings);
    return { document, findings };
  } catch (error) {
    if (error instanceof Refusal) return refuse("yaml-syntax", error.offset, error.message, error.remedy);
    return refuse(
      "yaml-syntax",
      0,
      `The file cannot be read as YAML: ${readMessage(error)}.`,
      "Check it with a YAML editor.",
    );
  }
}

/** The parser creates an error for each of a million stray brackets; recording their stacks takes ten times as long. */
function withoutStacks<T>(run: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

class Refusal extends Error {
  readonly offset: number;
  readonly remedy: string;
  constructor(offset: number, message: string, remedy: string) {
    super(message);
    this.offset = offset;
    this.remedy = remedy;
  }
}

/** One mistake often causes many syntax errors: keeps the first of each line, for the first few lines. */
function keepFirstPerLine(errors: readonly YAMLError[], at: (offset: number) => Position): YAMLError[] {
  const exhausted = errors.find((error) => error.code === "RESOURCE_EXHAUSTION");
  if (exhausted) return [exhausted];
  const seen = new Set<number>();
  return errors
    .filter((error) => {
      const { line } = at(error.pos[0]);
      if (seen.has(line) || seen.size >= MAX_SYNTAX_FINDINGS) return false;
      return seen.add(line);
    })
    .slice(0, MAX_SYNTAX_FINDINGS);
}

/** Returns where the quote begins that is never closed; the parser reports it at the end of the file. */
function openQuote(error: YAMLError, parsed: Document.Parsed): number | undefined {
  if (error.code !== "MISSING_CHAR" || !/^Missing closing ["']/.test(error.message)) return undefined;
  let begin: number | undefined;
  visit(parsed, { Scalar: (_, { type, range }) => void (type?.startsWith("QUOTE") && (begin = range?.[0])) });
  return begin;
}

const QUOTE_STAR = "Put values that begin with * in quotes, for example cron texts.";
const LINE_UP = "Line the entry up with its neighbours.";

const SYNTAX_REMEDIES: Partial<Record<YAMLError["code"], string>> = {
  TAB_AS_INDENT: "Indent with spaces.",
  MULTIPLE_DOCS: "Keep one document per file; remove the --- line and what follows it.",
  NON_STRING_KEY: "Use plain names as keys.",
  RESOURCE_EXHAUSTION: `Nest at most ${MAX_DEPTH} levels.`,
  MISSING_CHAR: "Close the quote or bracket.",
  BLOCK_AS_IMPLICIT_KEY: "Check the indentation, and put values that contain a colon in quotes.",
  MULTILINE_IMPLICIT_KEY: "Write a colon and a space behind the key, and check the indentation.",
  BAD_INDENT: LINE_UP,
  BAD_ALIAS: QUOTE_STAR,
  BAD_SCALAR_START: "Put the value in quotes.",
};

/** Mistakes that share a code; only the parser's message tells them apart. */
const SPECIAL_REMEDIES: [code: YAMLError["code"], message: RegExp, remedy: string][] = [
  ["MISSING_CHAR", /^Sequence item without/, LINE_UP],
  ["BAD_INDENT", /^Flow /, "Close the bracket that was opened above."],
  ["UNEXPECTED_TOKEN", /^Unexpected alias/, QUOTE_STAR],
];

function explainSyntax(error: YAMLError): [message: string, remedy: string] {
  const special = SPECIAL_REMEDIES.find(([code, text]) => code === error.code && text.test(error.message));
  const remedy =
    special?.[2] ?? SYNTAX_REMEDIES[error.code] ?? "Check quotes, colons and indentation around this place.";
  if (error.code === "RESOURCE_EXHAUSTION") return ["The file is nested too deeply.", remedy];
  if (error.code === "MULTIPLE_DOCS") return ["The file holds more than one YAML document.", remedy];
  if (error.code === "NON_STRING_KEY") return ["A list or map is used as a key.", remedy];
  return [`This is not valid YAML: ${error.message}.`, remedy];
}

interface Tree {
  aliases: Map<Alias, Node>;
  entries: Map<YAMLMap, Map<string, Pair>>;
  /** Members that were merged so far. */
  merged: number;
  onDuplicate(path: Path, key: string, offset: number): void;
}

function readTree(
  contents: Node | null,
  at: (offset: number) => Position,
  findings: Finding[],
): ManifestDocument {
  const tree: Tree = {
    aliases: new Map(),
    entries: new Map(),
    merged: 0,
    onDuplicate: (path, key, offset) => {
      findings.push({
        severity: "error",
        rule: "duplicate-key",
        message: `The key \`${key}\` is given more than once here.`,
        ...at(offset),
        path: formatPath([...path, key]),
        remedy: "Keep one of them.",
      });
    },
  };
  linkAliases(contents, tree, new Map(), 0);
  return {
    data: toData(contents, tree),
    findPosition: (path, wanted) => at(findOffset(contents, path, wanted, at, tree)),
  };
}

/** First pass: checks the depth, resolves each alias to its node, and refuses anchors used before they are set. */
function linkAliases(node: unknown, tree: Tree, anchors: Map<string, Node>, depth: number): void {
  if (isAlias(node)) {
    const target = anchors.get(node.source);
    if (!target) {
      throw new Refusal(
        findStart(node),
        `There is no anchor &${node.source} above this *${node.source}.`,
        "Put values that begin with * in quotes, for example cron texts.",
      );
    }
    tree.aliases.set(node, target);
    return;
  }
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return;
  if (node.anchor) anchors.set(node.anchor, node);
  if (isScalar(node)) return;
  if (depth >= MAX_DEPTH) {
    throw new Refusal(findStart(node), "The file is nested too deeply.", `Nest at most ${MAX_DEPTH} levels.`);
  }
  for (const item of node.items) {
    linkAliases(isPair(item) ? item.value : item, tree, anchors, depth + 1);
  }
}

function toData(contents: Node | null, tree: Tree): Json {
  let aliased = 0;
  const open = new Set<unknown>();
  const convert = (node: unknown, path: Path, insideAlias: boolean): Json => {
    if (insideAlias && ++aliased > MAX_ALIASED_NODES) {
      throw refuseTooMuch(node);
    }
    if (isAlias(node)) return convert(tree.aliases.get(node), path, true);
    if (isScalar(node)) return toScalar(node.value);
    if (!isMap(node) && !isSeq(node)) return null;
    if (open.has(node)) {
      throw new Refusal(
        findStart(node),
        "An alias contains itself.",
        "Remove the alias inside its own anchor.",
      );
    }
    open.add(node);
    // Members of merged maps are reached through an alias, too.
    const own = isMap(node) && node.items.some(isMerge) ? new Set<unknown>(node.items) : undefined;
    const data = isSeq(node)
      ? node.items.map((item, index) => convert(item, [...path, index], insideAlias))
      : Object.fromEntries(
          [...listEntries(node, tree, path)].map(([key, pair]) => [
            key,
            convert(pair.value, [...path, key], insideAlias || (own !== undefined && !own.has(pair))),
          ]),
        );
    open.delete(node);
    return data;
  };
  return convert(contents, [], false);
}

const refuseTooMuch = (node: unknown): Refusal =>
  new Refusal(findStart(node), "Aliases expand to too much data.", "Write the repeated parts out.");

const toScalar = (value: unknown): Json =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;

const isMerge = ({ key }: Pair): boolean => (isScalar(key) ? String(key.value) : String(key)) === "<<";

/** Returns the members of a map: its own, then those of maps merged with `<<`. The first of two equal keys wins. */
function listEntries(map: YAMLMap, tree: Tree, path: Path): Map<string, Pair> {
  const known = tree.entries.get(map);
  if (known) return known;
  const entries = new Map<string, Pair>();
  tree.entries.set(map, entries);
  const merged: unknown[] = [];
  for (const pair of map.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
    if (isMerge(pair)) merged.push(...(isSeq(pair.value) ? pair.value.items : [pair.value]));
    else if (!entries.has(key)) entries.set(key, pair);
    else {
      tree.onDuplicate(path, key, findStart(pair.key));
    }
  }
  for (const item of merged) {
    const source = isAlias(item) ? tree.aliases.get(item) : item;
    if (!isMap(source)) continue;
    for (const [key, pair] of listEntries(source, tree, path)) {
      tree.merged += 1;
      if (tree.merged > MAX_ALIASED_NODES) throw refuseTooMuch(item);
      if (!entries.has(key)) entries.set(key, pair);
    }
  }
  return entries;
}

function findOffset(
  contents: Node | null,
  path: Path,
  wanted: "key" | undefined,
  at: (offset: number) => Position,
  tree: Tree,
): number {
  let node: unknown = contents;
  let key: unknown;
  for (const step of path) {
    const parent = isAlias(node) ? tree.aliases.get(node) : node;
    let next: { node: unknown; key: unknown } | undefined;
    if (isMap(parent)) {
      const pair = listEntries(parent, tree, path).get(String(step));
      next = pair && { node: pair.value, key: pair.key };
    } else if (isSeq(parent) && typeof step === "number" && step < parent.items.length) {
      next = { node: parent.items[step], key: undefined };
    }
    if (!next) break;
    ({ node, key } = next);
  }
  if (key === undefined) return findStart(node);
  const isEmpty = isScalar(node) && node.value === null;
  const startsBelow = (isMap(node) || isSeq(node)) && at(findStart(node)).line > at(findStart(key)).line;
  return wanted === "key" || isEmpty || startsBelow ? findStart(key) : findStart(node);
}

const findStart = (node: unknown): number =>
  isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? (node.range?.[0] ?? 0) : 0;
