// Fixture of the sandbox's own tests: a sandbox, and a small HTTP client.

import assert from "node:assert/strict";
import { after, beforeEach } from "node:test";
import { asData, isData, parseJson, type Data } from "./exchange.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";

/** Opens a sandbox for all tests of a file: it is reset before each of them, and closed after the last. */
export async function openSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  after(() => sandbox.close());
  beforeEach(() => sandbox.reset());
  return sandbox;
}

export type Response = { status: number; headers: Headers; text: string; json: unknown };

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>;

/** Returns a function for calls below `base` with a bearer token; strings are sent unchanged, other values as JSON. */
export function openCaller(base: string, token?: string): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(base + path, {
      method,
      redirect: "manual",
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        "content-type": typeof body === "string" ? "application/x-www-form-urlencoded" : "application/json",
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parseJson(text) };
  };
}

/** Returns the value at `a.b.0.c`; fails the test if there is none. */
export function getAt(value: unknown, path: string): unknown {
  let current = value;
  for (const step of path.split(".")) {
    if (Array.isArray(current)) current = current[Number(step)];
    else if (isData(current)) current = current[step];
    else assert.fail(`nothing at ${path}: ${JSON.stringify(value)}`);
  }
  return current;
}

export function readText(value: unknown, path: string): string {
  const found = getAt(value, path);
  assert.equal(typeof found, "string", `no text at ${path}: ${JSON.stringify(value)}`);
  return String(found);
}

export function readList(value: unknown, path: string): Data[] {
  const found = path === "" ? value : getAt(value, path);
  assert.ok(Array.isArray(found), `no list at ${path}: ${JSON.stringify(value)}`);
  return found.map((item) => asData(item));
}
