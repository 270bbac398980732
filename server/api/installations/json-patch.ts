/** Applies a JSON Patch (RFC 6902: add, replace, remove) to a copy of a document. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";

export interface PatchOperation {
  op: "add" | "replace" | "remove";
  /** JSON Pointer (RFC 6901); empty for the whole document. */
  path: string;
  /** Required by `add` and `replace`; null is a value. */
  value?: Json;
}

/** An operation that cannot be applied. None of the operations has been applied then. */
export class PatchError extends Error {
  override name = "PatchError";
  /** Index of the operation. */
  readonly index: number;
  readonly member: "path" | "value";

  constructor(index: number, member: "path" | "value", message: string) {
    super(message);
    this.index = index;
    this.member = member;
  }
}

/** Returns the changed document, or undefined if it was removed as a whole. Throws `PatchError`. */
export function applyPatch(
  document: Json | undefined,
  operations: readonly PatchOperation[],
): Json | undefined {
  let result = document;
  for (const [index, operation] of operations.entries()) {
    if (operation.op !== "remove" && operation.value === undefined) {
      throw new PatchError(index, "value", `\`${operation.op}\` needs a \`value\`.`);
    }
    try {
      result = change(result, { operation, steps: readPointer(operation.path), depth: 0 });
    } catch (error) {
      throw error instanceof Fault ? new PatchError(index, "path", error.message) : error;
    }
  }
  return result;
}

/** Returns the steps of a JSON Pointer, or undefined if it is invalid. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

class Fault extends Error {}

function readPointer(pointer: string): string[] {
  const steps = parsePointer(pointer);
  if (steps) return steps;
  const why = pointer.startsWith("/")
    ? "a `~` in it must be followed by 0 or 1"
    : "it must be empty or begin with `/`";
  throw new Fault(`\`${pointer}\` is not a JSON Pointer: ${why}.`);
}

/** A node on the path to what an operation changes. */
interface Place {
  operation: PatchOperation;
  steps: string[];
  /** Number of steps that led to this node. */
  depth: number;
}

function change(node: Json | undefined, place: Place): Json | undefined {
  const { operation, steps, depth } = place;
  const step = steps[depth];
  if (step === undefined) {
    if (node === undefined && operation.op !== "add") throw new Fault("There is nothing to change.");
    return operation.op === "remove" ? undefined : operation.value;
  }
  if (Array.isArray(node)) return changeItem(node, step, place);
  if (isJsonObject(node)) return changeMember(node, step, place);
  throw new Fault(`At \`${toPointer(place)}\` there is no object and no list to go into.`);
}

/** Uses own members only, so that `__proto__` is a name like any other. */
function changeMember(node: JsonObject, step: string, place: Place): JsonObject {
  const below = { ...place, depth: place.depth + 1 };
  const known = Object.hasOwn(node, step);
  if (!known && !addsHere(place)) {
    const remedy = isLast(place) ? "" : " Add it before what is below.";
    throw new Fault(`There is no \`${toPointer(below)}\`.${remedy}`);
  }
  const changed = change(known ? node[step] : undefined, below);
  if (changed !== undefined) return { ...node, [step]: changed };
  return Object.fromEntries(Object.entries(node).filter(([name]) => name !== step));
}

function changeItem(node: Json[], step: string, place: Place): Json[] {
  const below = { ...place, depth: place.depth + 1 };
  const adds = addsHere(place);
  const index = step === "-" ? node.length : /^(0|[1-9]\d*)$/.test(step) ? Number(step) : undefined;
  if (index === undefined) {
    throw new Fault(`\`${toPointer(below)}\` must end in an index, or in \`-\` to add behind the last item.`);
  }
  if (index > node.length - (adds ? 0 : 1)) {
    throw new Fault(`\`${toPointer(below)}\` is beyond the end: the list has ${node.length} items.`);
  }
  const changed = change(adds ? undefined : node[index], below);
  return node.toSpliced(index, adds ? 0 : 1, ...(changed === undefined ? [] : [changed]));
}

const isLast = ({ steps, depth }: Place): boolean => depth === steps.length - 1;

const addsHere = (place: Place): boolean => isLast(place) && place.operation.op === "add";

const toPointer = ({ steps, depth }: Place): string =>
  steps
    .slice(0, depth)
    .map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
