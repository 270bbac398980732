/** Finds the operation of a request in an OpenAPI document. */
import { findClosest } from "../../ground/closest.ts";
import type { OpenapiDocument, OpenapiOperation } from "./openapi-operations.ts";

type FoundOperation =
  | { operation: OpenapiOperation }
  /** The address is known with other methods. */
  | { methods: string[] }
  | { near: string | undefined };

/** Placeholders have other names elsewhere; a slash at the end counts. */
const toComparablePath = (path: string): string => (path.split("?")[0] ?? "").replace(/\{[^{}]*\}/g, "*");

/** A base URL may have the first steps of a path. */
const isSame = (wanted: string, { path, bare }: OpenapiOperation): boolean => {
  const own = toComparablePath(wanted);
  const [whole, short] = [toComparablePath(path), toComparablePath(bare)];
  return (
    own === whole ||
    own === short ||
    whole.endsWith(own) ||
    (own.endsWith(short) && /[^/*]/.test(short) && short.split("/").length > 2)
  );
};

/** Returns the operation with the method and the path, or what is near. */
export function findOperation({ operations }: OpenapiDocument, method: string, path: string): FoundOperation {
  const exact = operations.filter(
    (one) =>
      toComparablePath(one.path) === toComparablePath(path) ||
      toComparablePath(one.bare) === toComparablePath(path),
  );
  const same = exact.length > 0 ? exact : operations.filter((one) => isSame(path, one));
  const operation = same.find((one) => one.method === method);
  if (operation) return { operation };
  if (same.length > 0) return { methods: [...new Set(same.map((one) => one.method))] };
  return { near: findClosest(path, [...new Set(operations.map((one) => one.path))]) };
}
