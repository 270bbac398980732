/** The interface of a step of the tour. A new step is one file in `steps/` and one line in `tour.ts`. */
import { isJsonObject, type Json } from "../ground/json.ts";
import type { Receiver } from "./receiver.ts";

export interface Step {
  title: string;
  /** Makes calls and checks. A failed check or a thrown error fails the step. */
  run(deps: Tour): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON, else the text. */
  body: Json;
}

export interface Tour {
  /** The customer of this run. */
  groupRef: string;
  projectId: string;
  urls: { base: string; write: string; read: string; search: string; proxy: string };
  sandboxUrl: string;
  /** Receives webhooks. */
  receiver: Receiver;
  /** Calls a path below `/v1/projects/default`, of the read or search API on request, and prints request and answer. */
  api(method: string, path: string, options?: CallOptions & { of?: "read" | "search" }): Promise<Answer>;
  /** Writes a record; adds the group to the body. */
  write(
    integration: string,
    object: string,
    body: Record<string, Json>,
    options?: WriteOptions,
  ): Promise<Answer>;
  /** Calls a tool of the customer's endpoint for agents; prints the call and these members of the result, and returns the result. */
  useTool(
    credential: string,
    tool: string,
    args: Record<string, Json>,
    shows: string[],
  ): Promise<Json | undefined>;
  proxy(integration: string, method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Repeats a GET while `isOpen` returns true; prints only the last answer. Throws `StepFailure` after `max` calls. */
  poll(
    path: string,
    isOpen: (answer: Answer) => boolean,
    options: { shows: string[]; everyMs: number; max: number },
  ): Promise<Answer>;
  /** Calls the control API of the sandbox CRMs, which a real CRM does not have. */
  sandbox(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Returns the record from the CRM and prints its `fields`. Throws `StepFailure` if it does not exist. */
  recordInCrm(record: CrmRecord, fields: string[]): Promise<Json>;
  /** Prints the check; throws `StepFailure` if it fails. */
  check(what: string, holds: boolean): void;
  say(text: string): void;
  /** Stores a value for later steps. */
  remember(name: Remembered, value: string): void;
  /** Returns a stored value. Throws `StepFailure` if the step that stores it has failed. */
  recall(name: Remembered): string;
}

export interface CallOptions {
  body?: Json;
  /** Text to print instead of the body. */
  sent?: string;
  /** Paths of the members to print, `*` for every item of a list; default: all. */
  shows?: string[];
}

interface WriteOptions extends Pick<CallOptions, "shows"> {
  headers?: Record<string, string>;
  /** Query string with its question mark. */
  query?: string;
}

export interface CrmRecord {
  provider: "hubspot" | "salesforce";
  /** The CRM's name for it. */
  object: string;
  id: string;
}

export type Remembered =
  | "hubspotInstallationId"
  | "hubspotPersonId"
  | "salesforcePersonId"
  | "operationId"
  | "refusedOperationId"
  | "signingKey";

/** Why a step failed. */
export class StepFailure extends Error {
  override name = "StepFailure";
}

/** Returns the member at a path such as `results.0.recordId`, undefined if there is none. */
export function getMember(value: Json | undefined, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const part of path.split(".")) {
    if (Array.isArray(found)) found = found[Number(part)];
    else found = isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  return found;
}

/** Returns the text at a path. Throws `StepFailure` if there is none. */
export function getText(value: Json | undefined, path: string): string {
  const found = getMember(value, path);
  if (typeof found === "string") return found;
  throw new StepFailure(`the answer has no text at ${path}`);
}

/** Returns the list at a path. Throws `StepFailure` if there is none. */
export function list(value: Json | undefined, path: string): Json[] {
  const found = getMember(value, path);
  if (Array.isArray(found)) return found;
  throw new StepFailure(`the answer has no list at ${path}`);
}
