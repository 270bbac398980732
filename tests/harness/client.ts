/** Calls a Busbar as a builder's server does. */
import { setTimeout as wait } from "node:timers/promises";

export interface Answer {
  status: number;
  headers: Headers;
  // A test states the type it expects; if that is wrong, the test fails.
  body: any; // oxlint-disable-line typescript/no-explicit-any
  text: string;
}

export interface Client {
  apiKey: string;
  projectId: string;
  /** `call("GET", "/v1/projects")`; a string body is sent unchanged. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls a path below `/v1/projects/default`. */
  inProject(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  write(
    integration: string,
    object: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Sends a GET through the proxy as that customer; `headers` are merged over those for key, project and customer. */
  proxied(
    customer: { integration: string; groupRef: string },
    path: string,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

interface ClientOptions {
  apiKey: string;
  projectId: string;
  /** Called for every request, because a restart changes them. */
  urls(): { base: string; proxy: string };
  /** Throws to reject an answer of the API. */
  onAnswer?(answer: Answer): void;
  /** Repeats a request that a busy database refused, as the answer advises: on a busy machine any request may meet one. */
  repeatsRefused?: boolean;
}

const MAX_TRIES = 10;
const REST_MS = 500;
const NOTHING_WAS_DONE =
  /The database (does not answer at the moment\. Nothing was done|did not store the events)/;

export function openClient(options: ClientOptions): Client {
  const { apiKey, projectId, urls, onAnswer, repeatsRefused = false } = options;
  const repeated = async (once: () => Promise<Answer>): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      const answer = await once();
      const isRefused = answer.status === 503 && NOTHING_WAS_DONE.test(answer.text);
      if (!repeatsRefused || !isRefused || tries === MAX_TRIES) return answer;
      await wait(REST_MS);
    }
  };
  const call: Client["call"] = (method, path, body, headers) =>
    repeated(async () => {
      const url = `${new URL(urls().base).origin}${path}`;
      const answer = await send(url, method, body, { "x-api-key": apiKey, ...headers });
      onAnswer?.(answer);
      return answer;
    });
  return {
    apiKey,
    projectId,
    call,
    inProject: (method, path, body, headers) => call(method, `/v1/projects/default${path}`, body, headers),
    write: (integration, object, body, headers) =>
      call("POST", `/write/v1/projects/default/integrations/${integration}/objects/${object}`, body, headers),
    proxied: ({ integration, groupRef }, path, headers) =>
      repeated(() =>
        send(`${urls().proxy}${path}`, "GET", undefined, {
          "x-api-key": apiKey,
          "x-amp-proxy-version": "1",
          "x-amp-project-id": projectId,
          "x-amp-integration-name": integration,
          "x-amp-group-ref": groupRef,
          ...headers,
        }),
      ),
  };
}

async function send(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
}
