/** Calls the API of a Busbar with JSON; throws if it refuses. */
import { Failure, UsageFailure } from "../failures.ts";
import { parseJson, type Json } from "./json.ts";
import { toRefused } from "./refused.ts";
import { readBody, send } from "./send.ts";

/** A Busbar's lists are paged or short, so a longer answer comes from another program. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface Asked {
  query?: Record<string, string | undefined>;
  body?: Json;
  headers?: Record<string, string>;
}

/** Paths begin with `/v1`, `/write/v1` and so on. Throws `Refused` or `Unreachable`. */
export type Api = (method: string, path: string, asked?: Asked) => Promise<Json | undefined>;

export function openApi(target: { origin: string; apiKey?: string }): Api {
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
    if (answer.headers["x-amp-error"]) throw refuseProxyAddress(target.origin);
    if (status < 200 || status >= 300) throw toRefused(answer, text);
    if (answer.headers["content-type"]?.startsWith("text/plain")) return text;
    return text === "" ? undefined : parseJson(text);
  };
}

const refuseProxyAddress = (origin: string): Failure =>
  new Failure(`${origin} is the proxy of a Busbar, not its API.`, {
    remedy: "Use the address of the API: its default port is 4000.",
  });

/** Encodes one segment of a path. Throws for an empty segment, `.` and `..`, which would change the path. */
export function encodeStep(text: string): string {
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  throw new UsageFailure(`"${text}" is neither a name nor an id.`);
}

/** Encodes the name of an object, which may contain slashes. */
export const encodeObjectPath = (name: string): string => name.split("/").map(encodeStep).join("/");
