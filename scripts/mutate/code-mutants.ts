/**
 * Changes one constant of a connector's source at a time: addresses, names of members that are the vendor's, values, sizes, statuses. Types
 * tell the vendor's names from ours: a member that no type of ours declares is the vendor's.
 */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import {
  SyntaxKind,
  type Identifier,
  type NumericLiteral,
  type ObjectLiteralExpression,
  type StringLiteral,
  type SourceFile,
  type Node,
  type Expression,
} from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { API, type Checker, type Type } from "typescript/unstable/sync";
import { METHODS, misspell } from "./mutants.ts";

export interface CodeMutant {
  /** File, function, what stands there and what became of it: `request.ts createBatch: "inputs" → "inputq"`. */
  name: string;
  file: string;
  text: string;
}

const ROOT = join(import.meta.dirname, "..", "..");

/** The connectors in code alone: the whole project takes ten times as long. */
const PROJECT = join(import.meta.dirname, "tsconfig.json");

/** Parts of connectors that facts are not about, and that have suites of their own: subscriptions, custom fields, descriptions of fields, SOAP. */
const APART =
  /^(?:journal|push|event|subscribe|change-(?:report|event|origin)|changed-bits|propert|upsert-|custom-field|default-value|pubsub|soap|stream|visibility|xml|describe|fields|provider)/;

/** Those listed so far: finding them takes the compiler seconds, and the sources stay as they are. */
const listed = new Map<string, CodeMutant[]>();

/** Returns every mutant of a connector that is written out in code, in the order of its files. */
export function listCodeMutants(provider: string): CodeMutant[] {
  const known = listed.get(provider);
  if (known) return known;
  const mutants = findCodeMutants(provider);
  listed.set(provider, mutants);
  return mutants;
}

function findCodeMutants(provider: string): CodeMutant[] {
  const folder = join(ROOT, "connectors", provider);
  const files = globSync("*.ts", { cwd: folder }).filter(
    (file) => !file.endsWith(".test.ts") && !APART.test(file),
  );
  const api = new API({ cwd: ROOT });
  try {
    const [project] = api.updateSnapshot({ openProjects: [PROJECT] }).getProjects();
    if (!project) throw new Error(`${PROJECT} cannot be opened`);
    return files.toSorted().flatMap((file) => {
      const source = project.program.getSourceFile(join(folder, file));
      return source ? listMutants(source, project.checker, join(folder, file)) : [];
    });
  } finally {
    api.close();
  }
}

type Named = Identifier | StringLiteral;

interface Change {
  start: number;
  end: number;
  before: string;
  after: string;
  inside: string;
}

function listMutants(source: SourceFile, checker: Checker, file: string): CodeMutant[] {
  const changes: Change[] = [];
  const seek = (node: Node, inside: string): void => {
    if (isApart(node)) return;
    const name = nameDeclared(node) ?? inside;
    changes.push(...changesAt(node, source.text, checker).map((change) => ({ ...change, inside: name })));
    node.forEachChild((child) => {
      seek(child, name);
    });
  };
  seek(source, "");
  const counts = new Map<string, number>();
  return changes.map(({ start, end, before, after, inside }) => {
    const key = `${basename(file)} ${inside}: ${before} → ${after}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const text = source.text.slice(0, start) + after + source.text.slice(end);
    return { name: count === 1 ? key : `${key} (${count})`, file, text };
  });
}

/** Calls and members that have sentences for people. */
const SAYING =
  /^(?:describe|checkRising|brokenPage|invalid|refusedField|cannot|unreadable|describeUnexplained|notReadBack|sameCursorError|objectOrBroken|Error)$/;
const SENTENCES = new Set(["message", "warning", "warnings", "why"]);
/** Pace, time and what ends a loop: no facts about the vendor. */
const OURS =
  /_MS$|_PACE$|^MAX_(?:PAGES|REQUESTS)$|^(?:OUTSIDE_CRM|repeatable|perSecond|kind|module|way|abilities|metadata|SMALL_PAGE|SMALLER_PAGES|ARCHIVED|isMerges|LONGEST_NUMBER|toCheckpoint|readPosition|parsePosition|parseListPosition)$/;

function isApart(node: Node): boolean {
  if (is.isImportDeclaration(node) || is.isExportDeclaration(node) || is.isTypeNode(node)) return true;
  if (is.isInterfaceDeclaration(node) || is.isTypeAliasDeclaration(node)) return true;
  if (is.isCallExpression(node) && is.isIdentifier(node.expression)) return SAYING.test(node.expression.text);
  const name = nameDeclared(node) ?? (is.isPropertyAssignment(node) ? node.name.getText() : undefined);
  if (name === "status" && is.isPropertyAssignment(node) && isOfError(node)) return true;
  return name !== undefined && (SENTENCES.has(name) || OURS.test(name));
}

/** The status of an error that the connector makes itself. */
const isOfError = ({ parent }: Node): boolean =>
  is.isNewExpression(parent.parent) && parent.parent.expression.getText() === "ProviderError";

function nameDeclared(node: Node): string | undefined {
  if (is.isFunctionDeclaration(node)) return node.name?.text;
  return is.isVariableDeclaration(node) && is.isIdentifier(node.name) ? node.name.text : undefined;
}

function changesAt(node: Node, text: string, checker: Checker): Omit<Change, "inside">[] {
  const replace = (target: Node, after: string, before = target.getText()) => [
    { start: target.end - target.getText().length, end: target.end, before, after },
  ];
  if (is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node))
    return listStringChanges(node, checker, replace);
  if (is.isTemplateHead(node) || is.isTemplateMiddle(node) || is.isTemplateTail(node)) {
    const raw = node.getText();
    return /[A-Za-z]/.test(raw) && !isSentence(raw) ? replace(node, misspell(raw)) : [];
  }
  if (is.isNumericLiteral(node)) return listNumberChanges(node, replace);
  if (node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword)
    return isVendorValue(node, checker)
      ? replace(node, node.kind === SyntaxKind.TrueKeyword ? "false" : "true")
      : [];
  return listMemberChanges(node, checker, replace);
}

type Replace = (target: Node, after: string, before?: string) => Omit<Change, "inside">[];

function listStringChanges(
  node: Node & { text: string },
  checker: Checker,
  replace: Replace,
): Omit<Change, "inside">[] {
  const { parent } = node;
  if (is.isCaseClause(parent) && isCaseOfOurs(parent.parent.parent, checker)) return [];
  if (node.text === "" || isSentence(node.text) || !/[A-Za-z]/.test(node.text)) return [];
  if (is.isPropertyAssignment(parent) && (parent.initializer as Node) !== node) return [];
  if (is.isBinaryExpression(parent)) {
    const other = (parent.left as Node) === node ? parent.right : parent.left;
    if (is.isTypeOfExpression(other) || isOurWord(checker.getTypeAtLocation(other), checker)) return [];
  }
  const type = is.isBinaryExpression(parent)
    ? undefined
    : checker.getContextualType(node as Node as Expression);
  if (isOurWord(type, checker)) {
    const method = METHODS[node.text];
    if (method !== undefined) return replace(node, JSON.stringify(method));
    const kind = KINDS[node.text];
    return kind !== undefined && isVerdict(node) ? replace(node, JSON.stringify(kind)) : [];
  }
  return replace(node, JSON.stringify(misspell(node.text)));
}

const isCaseOfOurs = (node: Node, checker: Checker): boolean =>
  is.isSwitchStatement(node) && isOurWord(checker.getTypeAtLocation(node.expression), checker);

const KINDS: Record<string, string> = {
  unauthorized: "invalid",
  forbidden: "invalid",
  not_found: "invalid",
  conflict: "invalid",
  rate_limited: "invalid",
  unavailable: "invalid",
  invalid: "unavailable",
};

/** What an answer of the vendor is judged to be. */
const isVerdict = ({ parent }: Node): boolean =>
  is.isReturnStatement(parent) ||
  (is.isPropertyAssignment(parent) && is.isVariableDeclaration(parent.parent.parent));

/** Returns whether a type allows some texts only: those words are ours. */
function isOurWord(type: Type | undefined, checker: Checker): boolean {
  if (!type) return false;
  const words = checker
    .typeToString(type)
    .split(" | ")
    .filter((word) => word !== "undefined" && word !== "null");
  return (
    words.length > 0 &&
    words.every((word) => /^"[^"]*"$/.test(word) || /^[A-Z]\w*(?:Kind|Mode|Type)$/.test(word))
  );
}

/** Several words with spaces that are no query. */
const isSentence = (text: string): boolean =>
  /^[`"]*(?:`|the )/.test(text) ||
  ((text.match(/ /g) ?? []).length > 2 &&
    !/\b(?:SELECT|FROM|WHERE|ORDER BY|LIMIT|AND|IN|IsDeleted)\b/.test(text));

function listNumberChanges(node: NumericLiteral, replace: Replace): Omit<Change, "inside">[] {
  const value = Number(node.text.replaceAll("_", ""));
  if (value <= 2 || !Number.isInteger(value)) return [];
  return replace(node, String(is.isCaseClause(node.parent) || value < 600 ? value + 1 : value * 2 + 1));
}

/** Members of objects, named when they are made, read or taken out, of types that do not declare them. */
function listMemberChanges(node: Node, checker: Checker, replace: Replace): Omit<Change, "inside">[] {
  const isInObject = (parent: Node): parent is ObjectLiteralExpression =>
    is.isObjectLiteralExpression(parent) && !isPlace(parent);
  if (is.isPropertyAssignment(node) && isInObject(node.parent)) {
    const { name } = node;
    if (!isNamed(name) || !isVendorMember(name.text, cutContext(node.parent, checker), checker)) return [];
    return replace(
      name,
      is.isStringLiteral(name) ? JSON.stringify(misspell(name.text)) : misspell(name.text),
    );
  }
  if (is.isShorthandPropertyAssignment(node) && isInObject(node.parent)) {
    const { name } = node;
    if (!isNamed(name) || !isVendorMember(name.text, cutContext(node.parent, checker), checker)) return [];
    return replace(name, `${misspell(name.text)}: ${name.text}`, name.text);
  }
  if (is.isPropertyAccessExpression(node) && is.isIdentifier(node.name)) {
    if (/^(?:checkpoint|place)\b/.test(node.expression.getText())) return [];
    const { name } = node;
    return isVendorMember(name.text, checker.getTypeAtLocation(node.expression), checker)
      ? replace(name, misspell(name.text))
      : [];
  }
  if (!is.isBindingElement(node) || node.dotDotDotToken || !is.isObjectBindingPattern(node.parent)) return [];
  const taken = node.propertyName ?? node.name;
  if (!isNamed(taken) || !isVendorMember(taken.text, checker.getTypeAtLocation(node.parent), checker))
    return [];
  return replace(
    taken,
    node.propertyName ? misspell(taken.text) : `${misspell(taken.text)}: ${taken.text}`,
    taken.text,
  );
}

/** What is stored to go on with, as `next` of a page. */
const isPlace = ({ parent }: Node): boolean =>
  is.isPropertyAssignment(parent) && parent.name.getText() === "next";

const isNamed = (name: Node | undefined): name is Named =>
  name !== undefined && (is.isIdentifier(name) || is.isStringLiteral(name));

/** Returns the type that is expected of an object, or of what it becomes a part of. */
function cutContext(object: ObjectLiteralExpression, checker: Checker): Type | undefined {
  let node: Node = object;
  for (let steps = 0; steps < 8; steps++) {
    const type = checker.getContextualType(node as Expression);
    if (type) return type;
    node = node.parent;
    if (is.isVariableDeclaration(node) || is.isFunctionDeclaration(node)) return undefined;
  }
  return undefined;
}

/** Returns whether no type of ours declares a member; what is stored to go on with is ours, too. */
function isVendorMember(name: string, type: Type | undefined, checker: Checker): boolean {
  if (!type) return false;
  const text = checker.typeToString(type);
  if (text.includes("Checkpoint") || text.startsWith("Map<") || text.startsWith("Set<")) return false;
  if (checker.getPropertyOfType(checker.getNonNullableType(type) ?? type, name)) return false;
  return /Json|unknown|Record<string/.test(text) || checker.getIndexInfosOfType(type).length > 0;
}

/** A boolean in an object that is the vendor's. */
function isVendorValue({ parent }: Node, checker: Checker): boolean {
  if (!is.isPropertyAssignment(parent) || !is.isIdentifier(parent.name)) return false;
  if (!is.isObjectLiteralExpression(parent.parent)) return false;
  return isVendorMember(parent.name.text, cutContext(parent.parent, checker), checker);
}
