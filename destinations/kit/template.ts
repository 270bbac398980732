/** Templates that builders write in JMESPath: checked when they are stored, evaluated for each message. */
import { compile, isRegistered, TreeInterpreter } from "@jmespath-community/jmespath";
import { isJsonObject, type Json, type JsonObject } from "../../server/ground/json.ts";
import type { Fault } from "./destination.ts";

const MAX_LENGTH = 2_000;

/** What is wrong with a template. `sample` has the members that templates may name. */
export function checkTemplate(name: string, text: string, sample: JsonObject): Fault[] {
  const refuse = (reason: string): Fault[] => [
    { name, detail: `is not a usable JMESPath template: ${reason}` },
  ];
  if (text.length > MAX_LENGTH) return refuse(`it is longer than ${MAX_LENGTH} characters`);
  try {
    const tree = compile(text);
    const unknown = functionsOf(JSON.parse(JSON.stringify(tree))).find((called) => !isRegistered(called));
    if (unknown) return refuse(`there is no function ${unknown}()`);
    const value: unknown = TreeInterpreter.search(tree, sample);
    if (typeof value !== "object" || value === null) return [];
    return refuse("it gives a list or an object, not text; put its parts together with join()");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // A member that the sample lacks may be there in a message; a function with too few arguments never works.
    return reason.startsWith("Invalid type") ? [] : refuse(reason);
  }
}

function functionsOf(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(functionsOf);
  if (!isJsonObject(node)) return [];
  const own = node["type"] === "Function" ? [String(node["name"])] : [];
  return [...own, ...Object.values(node).flatMap(functionsOf)];
}

/** A template that was checked: the text it gives for a message, undefined where it gives none. */
export function openTemplate(text: string): (data: JsonObject) => string | undefined {
  const tree = compile(text);
  return (data) => {
    const value: unknown = evaluate(tree, data);
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
}

function evaluate(tree: ReturnType<typeof compile>, data: JsonObject): unknown {
  try {
    return TreeInterpreter.search(tree, data);
  } catch {
    // Of this message only: a member is missing or of another type. The default serves.
    return undefined;
  }
}
