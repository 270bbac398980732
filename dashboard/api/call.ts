/** Calls the API as the signed-in person: an operation by its id, with typed input and answer. */
import { OPERATIONS, type Operations, type Schemas } from "../api.gen.ts";
import { sessionGate } from "./session-gate.ts";

export type OperationId = keyof Operations;
export type Input<Id extends OperationId> = Operations[Id]["input"];
export type Answer<Id extends OperationId> = Operations[Id]["answer"];

/** The Problem with which the API refused a call. */
type ProblemBody = Schemas["Problem"];

/** A refusal, or a call that reached no server (`problem.status` is 0). */
export class ApiProblem extends Error {
  readonly problem: ProblemBody;

  constructor(problem: ProblemBody) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Calls that must not wait for a sign-in: they are the sign-in. */
const WITHOUT_SESSION = new Set<OperationId>(["createSession", "getSession", "listSignInWays"]);

/**
 * Throws `ApiProblem`. If the session has ended, waits until the person has signed in again in the dialog, and repeats the
 * call: the API answers 401 before it does anything.
 */
export async function call<Id extends OperationId>(
  operationId: Id,
  input: Input<Id>,
  options: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<Answer<Id>> {
  const response = await send(operationId, input, options);
  if (response.status === 401 && !WITHOUT_SESSION.has(operationId)) {
    await sessionGate.waitForSignIn(options.signal);
    return call(operationId, input, options);
  }
  const text = await response.text();
  const body: unknown =
    isJson(response) && text !== "" ? JSON.parse(text) : isPlain(response) ? text : undefined;
  if (!response.ok) throw new ApiProblem(isProblem(body) ? body : describeStrangeAnswer(response));
  // The harness of the tests holds every answer to openapi.json, which this type is made of.
  return body as Answer<Id>;
}

async function send(
  operationId: OperationId,
  input: Readonly<Record<string, unknown>>,
  { signal, headers }: { signal?: AbortSignal; headers?: Record<string, string> },
): Promise<Response> {
  const { method, url, body } = buildRequest(operationId, input);
  try {
    return await fetch(url, {
      method,
      signal,
      credentials: "same-origin",
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      body,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiProblem(buildUnreachable());
  }
}

/** Returns what is sent. Used for the call itself and for showing it as curl. */
export function buildRequest(
  operationId: OperationId,
  input: Readonly<Record<string, unknown>>,
): { method: string; url: string; body: string | undefined } {
  const [method = "GET", pattern = "/"] = OPERATIONS[operationId].split(" ");
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (name === "body" || value === undefined || value === "" || pattern.includes(`{${name}}`)) continue;
    query.set(name, String(value));
  }
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(input[name] ?? "")),
  );
  const body = input["body"] === undefined ? undefined : JSON.stringify(input["body"]);
  return { method, url: query.size > 0 ? `${path}?${query}` : path, body };
}

const isPlain = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/plain") ?? false;

const isJson = ({ headers }: Response): boolean => headers.get("content-type")?.includes("json") ?? false;

const isProblem = (body: unknown): body is ProblemBody =>
  typeof body === "object" && body !== null && "title" in body && "detail" in body;

const buildUnreachable = (): ProblemBody => ({
  ...BASE,
  title: "Busbar does not answer",
  detail: "The server cannot be reached. What is on the page stays; calls are repeated by themselves.",
  retryable: true,
});

const describeStrangeAnswer = ({ status }: Response): ProblemBody => ({
  ...BASE,
  status,
  title: "Unexpected answer",
  detail: `Something between this browser and Busbar answered with status ${status}.`,
  retryable: status >= 500,
});

const BASE = {
  type: "about:blank",
  href: "",
  status: 0,
  instance: "",
  subsystem: "dashboard",
  time: "",
  requestId: "",
};
