/** What a step of the tour is and what it may use. A further step is one file in `steps/` and one line in `tour.ts`. */
import { isJsonObject, type Json } from "../server/ground/json.ts";
import type { Receiver } from "./receiver.ts";

export interface Step {
  title: string;
  /** Makes its calls, states its checks. A check that fails or an error thrown ends the step as failed. */
  run(deps: Tour): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else the text. */
  body: Json;
}

export interface Tour {
  /** The customer of this run. */
  groupRef: string;
  projectId: string;
  urls: { base: string; write: string; proxy: string };
  sandboxUrl: string;
  /** Where webhooks arrive. */
  receiver: Receiver;
  /** A call below `/v1/projects/default`. Every call is printed with its answer. */
  api(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The group is added to the body. */
  write(
    integration: string,
    object: string,
    body: Record<string, Json>,
    options?: WriteOptions,
  ): Promise<Answer>;
  proxy(integration: string, method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Asks again while `isOpen` says so; only the last answer is printed. Throws `StepFailure` after `most` times. */
  poll(
    path: string,
    isOpen: (answer: Answer) => boolean,
    options: { shows: string[]; everyMs: number; most: number },
  ): Promise<Answer>;
  /** The controls of the sandbox CRMs, which no real CRM has: to look behind the scenes. */
  sandbox(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The record as it lies in the CRM, whose `fields` are printed. Throws `StepFailure` when it is not there. */
  recordInCrm(record: CrmRecord, fields: string[]): Promise<Json>;
  /** Prints what was checked; throws `StepFailure` when it does not hold. */
  check(what: string, holds: boolean): void;
  say(text: string): void;
  /** What steps leave for later ones. */
  remember(name: Remembered, value: string): void;
  /** Throws `StepFailure` when the step that remembers it has not got that far. */
  recall(name: Remembered): string;
}

export interface CallOptions {
  body?: Json;
  /** Printed instead of the body. */
  sent?: string;
  /** Paths of what is printed of the answer, `*` for every item of a list; all of it when left out. */
  shows?: string[];
}

export interface WriteOptions extends Pick<CallOptions, "shows"> {
  headers?: Record<string, string>;
  /** With its question mark. */
  query?: string;
}

export interface CrmRecord {
  provider: "hubspot" | "salesforce";
  /** As the CRM names it. */
  object: string;
  id: string;
}

export type Remembered =
  | "hubspotPersonId"
  | "salesforcePersonId"
  | "operationId"
  | "refusedOperationId"
  | "signingKey";

/** Why a step is not done. */
export class StepFailure extends Error {
  override name = "StepFailure";
}

/** The member at a path such as `results.0.recordId`; undefined where there is none. */
export function member(value: Json | undefined, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const part of path.split(".")) {
    if (Array.isArray(found)) found = found[Number(part)];
    else found = isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  return found;
}

/** The text at a path. Throws `StepFailure` when there is none. */
export function text(value: Json | undefined, path: string): string {
  const found = member(value, path);
  if (typeof found === "string") return found;
  throw new StepFailure(`the answer has no text at ${path}`);
}

/** The list at a path. Throws `StepFailure` when there is none. */
export function list(value: Json | undefined, path: string): Json[] {
  const found = member(value, path);
  if (Array.isArray(found)) return found;
  throw new StepFailure(`the answer has no list at ${path}`);
}
