/** Calls the management and write API of a Busbar: JSON in, JSON out, a refusal is an exception. */
import type { IncomingMessage } from "node:http";
import { Failure, Refused, UsageFailure } from "../failures.ts";
import type { Target } from "../settings/target.ts";
import { isObject, parseJson, textAt, type Json } from "./json.ts";
import { readBody, send } from "./send.ts";

/** Lists are pages or short; a longer answer is not one of a Busbar. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface Asked {
  query?: Record<string, string | undefined>;
  body?: Json;
  headers?: Record<string, string>;
}

/** Paths begin with `/v1` or `/write/v1`. Throws `Refused` or `Unreachable`. */
export type Api = (method: string, path: string, asked?: Asked) => Promise<Json | undefined>;

export function openApi(target: Pick<Target, "origin" | "apiKey">): Api {
  return async (method, path, { query = {}, body, headers } = {}) => {
    const url = new URL(path, target.origin);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    const answer = await send({
      method,
      url,
      headers: {
        accept: "application/json, application/problem+json",
        "user-agent": "busbar-cli",
        ...(target.apiKey !== undefined && { "x-api-key": target.apiKey }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = (await readBody(answer, MAX_ANSWER_BYTES)).toString();
    const status = answer.statusCode ?? 0;
    if (answer.headers["x-amp-error"]) throw proxyAnswered(target.origin);
    if (status < 200 || status >= 300) throw refused(answer, text);
    return text === "" ? undefined : parseJson(text);
  };
}

const proxyAnswered = (origin: string): Failure =>
  new Failure(`${origin} is the proxy of a Busbar, not its API.`, {
    remedy: "The API has an address of its own: port 4000 unless configured otherwise.",
  });

/** The answer as a refusal, whether or not it is a Problem. */
export function refused(answer: IncomingMessage, text: string): Refused {
  const status = answer.statusCode ?? 0;
  const problem = parseJson(text);
  const says = textAt(problem, "detail") ?? textAt(problem, "title");
  if (isObject(problem) && says !== undefined) return new Refused(status, problem, says);
  const where = answer.headers.location ? ` and points to ${answer.headers.location}` : "";
  return new Refused(status, {}, `The server answered HTTP ${status} without saying why${where}.`);
}

/** One step of a path, whatever the text holds. Throws for what would lead to another path: nothing, and dots. */
export function step(text: string): string {
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  throw new UsageFailure(`"${text}" is no name and no id.`);
}
