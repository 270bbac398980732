/** The client: every operation of the API as a typed method, for one server and, if it is named, one project. */
import { Api } from "./api/sdk.gen.js";
import { createClient } from "./api/client/index.js";
import { retryingFetch, type RetryOptions } from "./retry.js";

export interface BusbarOptions extends RetryOptions {
  /** Address of the server, for example `https://busbar.example.com`. */
  url: string;
  /** An API key of the project. Give this or `token`. */
  apiKey?: string;
  /** A customer's or a person's token, or a function that returns a fresh one before each request. */
  token?: string | (() => string | Promise<string>);
  /** Id or name of the project of every call that names none. */
  project?: string;
}

/** A member of a request that was refused, and why. */
export interface ProblemCause {
  detail?: string;
  [member: string]: unknown;
}

/** An answer that is not a success. `problem` is the body of the answer: RFC 9457 Problem Details. */
export class BusbarError extends Error {
  override readonly name = "BusbarError";
  readonly status: number;
  readonly problem: {
    type?: string;
    title?: string;
    detail?: string;
    causes?: ProblemCause[];
    [member: string]: unknown;
  };
  readonly requestId: string | undefined;

  constructor(response: Response, body: unknown) {
    const problem =
      typeof body === "object" && body !== null ? (body as BusbarError["problem"]) : { detail: String(body) };
    super(`${response.status}: ${problem.detail || problem.title || response.statusText}`);
    this.status = response.status;
    this.problem = problem;
    this.requestId = response.headers.get("X-Request-Id") ?? undefined;
  }
}

/** What the URL parser makes of a path parameter that no call filled in. */
const NO_PROJECT = "%7BprojectIdOrName%7D";

/**
 * A client of Busbar's API. Every method returns the answer's body. It throws `BusbarError` for an answer that is not a success, and
 * `NoAnswerError` where there was none. Requests that are safe to repeat are repeated, see `RetryOptions`.
 */
export class Busbar extends Api {
  constructor(options: BusbarOptions) {
    const { url, apiKey, token, project } = options;
    if (!url) throw new TypeError("Give `url`, the address of the Busbar, such as http://127.0.0.1:4000");
    if ((apiKey === undefined) === (token === undefined)) throw new TypeError("Give either apiKey or token");
    const send = retryingFetch(options);
    const client = createClient({
      baseUrl: url.replace(/\/+$/, ""),
      throwOnError: true,
      responseStyle: "data",
      fetch: async (input, init) => {
        const request = await nameProject(new Request(input, init), project);
        if (apiKey !== undefined) request.headers.set("X-Api-Key", apiKey);
        else
          request.headers.set(
            "Authorization",
            `Bearer ${typeof token === "function" ? await token() : token}`,
          );
        return await send(request);
      },
    });
    client.interceptors.request.use((request, { url: path, path: given }) => {
      for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
        if (name !== "projectIdOrName" && given?.[name] === undefined)
          throw new TypeError(`The call needs ${name}`);
      }
      return request;
    });
    client.interceptors.error.use((error, response) =>
      response && !response.ok ? new BusbarError(response, error) : error,
    );
    super({ client });
  }
}

/**
 * Returns the request with the client's project where the call named none. The body is sent as bytes: as the stream that a request has,
 * browsers send it with HTTP/2 only.
 */
async function nameProject(request: Request, project: string | undefined): Promise<Request> {
  if (!request.url.includes(NO_PROJECT)) return request;
  if (project === undefined) throw new TypeError("The call needs projectIdOrName, or the client a `project`");
  const { method, headers, signal, credentials, cache, redirect, integrity, keepalive } = request;
  const bytes = request.body ? await request.arrayBuffer() : undefined;
  return new Request(request.url.replace(NO_PROJECT, encodeURIComponent(project)), {
    method,
    headers,
    signal,
    credentials,
    cache,
    redirect,
    integrity,
    keepalive,
    ...(bytes && { body: bytes }),
  });
}
