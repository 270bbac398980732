/** Templates that builders write in JMESPath: checked when they are stored, evaluated for each message. */
import { createContext, Script } from "node:vm";
import { compile, isRegistered, TreeInterpreter } from "@jmespath-community/jmespath";
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";
import type { Fault } from "./destination.ts";
import { readMessage } from "../ground/errors.ts";

const MAX_LENGTH = 2_000;
/** No receiver takes a longer key; `join` within `join` can make texts that take a second to copy. */
const LONGEST_TEXT = 100_000;

/** Returns the faults of a template. `sample` has the members that templates may name. */
export function checkTemplate(name: string, text: string, sample: JsonObject): Fault[] {
  const refuse = (reason: string): Fault[] => [
    { name, detail: `is not a usable JMESPath template: ${reason}` },
  ];
  if (text.length > MAX_LENGTH) return refuse(`it is longer than ${MAX_LENGTH} characters`);
  try {
    const tree = compile(text);
    const unknown = listNodes(tree)
      .filter(({ type }) => type === "Function")
      .map(({ name: called }) => String(called))
      .find((called) => !isRegistered(called) || WITHHELD.includes(called));
    if (unknown) return refuse(`there is no function ${unknown}()`);
    if (hasNestedEscape(tree)) return refuse("to_string() within to_string() escapes every quote again");
    const value = compileExpression(tree)(sample);
    if (typeof value !== "object" || value === null) return [];
    return refuse("it gives a list or an object, not text; put its parts together with join()");
  } catch (error) {
    const reason = readMessage(error);
    // Messages may have members that the sample lacks; a function with too few arguments never works.
    return /^(Invalid type|not-a-number)/.test(reason) ? [] : refuse(reason);
  }
}

/** Functions that create text of any length in one step. */
const WITHHELD = ["pad_left", "pad_right"];

type Tree = ReturnType<typeof compile>;

const isToString = ({ type, name }: JsonObject): boolean => type === "Function" && name === "to_string";

/** Returns whether a text is escaped within another one. Each time doubles its length: 28 times fill the memory. */
const hasNestedEscape = (tree: Tree): boolean =>
  listNodes(tree)
    .filter(isToString)
    .some((node) => listNodes(node).filter(isToString).length > 1);

function listNodes(tree: Tree | JsonObject): JsonObject[] {
  const listObjects = (node: Json): JsonObject[] => {
    if (Array.isArray(node)) return node.flatMap(listObjects);
    return isJsonObject(node) ? [node, ...Object.values(node).flatMap(listObjects)] : [];
  };
  return listObjects(JSON.parse(JSON.stringify(tree)));
}

/**
 * Compiles a checked template. The returned function gives the text for a message, or undefined. It throws when the
 * template takes too long, and from then on without evaluating it.
 */
export function openTemplate(text: string): (data: JsonObject) => string | undefined {
  const evaluate = compileExpression(compile(text));
  let tooSlow: TooSlow | undefined;
  return (data) => {
    if (tooSlow) throw tooSlow;
    try {
      const value = evaluate(data);
      if (typeof value === "number" || typeof value === "boolean") return String(value);
      return typeof value === "string" && value !== "" && value.length <= LONGEST_TEXT ? value : undefined;
    } catch (error) {
      if (error instanceof TooSlow) throw (tooSlow = error);
      // In this message a member is missing or of another type: the default is used.
      return undefined;
    }
  };
}

/** Expressions that take no longer than reading template and data once. `@` is not one of them: `[@, @]` doubles the data. */
const QUICK = new Set(
  (
    "Field Subexpression Index IndexExpression Root Literal MultiSelectList OrExpression AndExpression NotExpression " +
    "Comparator join() to_string()"
  ).split(" "),
);

function compileExpression(tree: Tree): (data: JsonObject) => unknown {
  const search = (data: JsonObject): unknown => TreeInterpreter.search(tree, data);
  const isQuick = listNodes(tree)
    .filter(({ type }) => typeof type === "string")
    .every(({ type, name }) => QUICK.has(type === "Function" ? `${String(name)}()` : String(type)));
  return isQuick && !hasNestedEscape(tree) ? search : (data) => runInTime(() => search(data));
}

/** Templates take microseconds. One that iterates over nested lists would block the whole process. */
const LIMIT_MS = 500;

class TooSlow extends Error {
  constructor() {
    super("the template takes too long");
  }
}

let stoppable: ((job: () => unknown) => unknown) | undefined;

/** Runs a job in a script, which is the only code that Node can interrupt; that costs some tenths of a millisecond. */
function openStoppable(): (job: () => unknown) => unknown {
  const script = new Script("job()");
  const context: { job?: () => unknown } = createContext({});
  return (job) => {
    context.job = job;
    return script.runInContext(context, { timeout: LIMIT_MS });
  };
}

function runInTime(job: () => unknown): unknown {
  stoppable ??= openStoppable();
  try {
    return stoppable(job);
  } catch (error) {
    // An error of the script's own global scope: no `Error` of ours.
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    throw code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new TooSlow() : error;
  }
}
