/** Repeats requests that are safe to repeat. */

export interface RetryOptions {
  /**
   * How often a request is repeated after its first attempt (default 3). Repeated are requests that were refused because of a limit (429),
   * or with a 503 that says when to come back: nothing was done. After any other failure only those that are safe to repeat: GET, HEAD,
   * PUT, DELETE, and those with an `Idempotency-Key`.
   */
  retries?: number;
  /** Milliseconds before the first repetition where the answer names no time; doubled each time, and spread (default 500). */
  retryBaseMs?: number;
  /** A longer `Retry-After` than this is not waited for: the answer is returned (default 60,000). */
  retryLimitMs?: number;
  /** Milliseconds that one attempt may take (default 60,000). */
  timeoutMs?: number;
  /** Sends a request; default: the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A request that got no answer: whether it was carried out is not known. `cause` is the platform's error. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** How often the request was sent. */
  readonly attempts: number;
  /** The key of a write or a read. The same call with this key is safe: it is carried out once. */
  readonly idempotencyKey: string | undefined;

  constructor({ method, url, headers }: Request, attempts: number, cause: unknown) {
    const { origin, pathname } = new URL(url);
    const times = attempts === 1 ? "" : ` after ${attempts} attempts`;
    super(`${method} ${origin}${pathname}: no answer${times} (${describe(cause)})`, { cause });
    this.attempts = attempts;
    this.idempotencyKey = headers.get("Idempotency-Key") ?? undefined;
  }
}

/** Returns the words of the innermost error: the one of Node's `fetch` says only that it failed. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return describe(error.cause);
  const { code } = error as { code?: unknown };
  return error.message || (typeof code === "string" ? code : error.name);
}

const SAFE_METHODS = ["GET", "HEAD", "PUT", "DELETE"];
/** Answers of proxies and servers that may be different a moment later. */
const UNCERTAIN_STATUSES = [408, 500, 502, 503, 504];

/** Returns a `fetch` that repeats what is safe to repeat, and gives a write its idempotency key so that it is safe. */
export function retryingFetch(options: RetryOptions): (request: Request) => Promise<Response> {
  const { retries = 3, retryBaseMs = 500, retryLimitMs = 60_000, timeoutMs = 60_000 } = options;
  const send = options.fetch ?? ((request) => globalThis.fetch(request));
  return async (request) => {
    if (takesIdempotencyKey(request) && !request.headers.has("Idempotency-Key"))
      request.headers.set("Idempotency-Key", crypto.randomUUID());
    const isSafe = SAFE_METHODS.includes(request.method) || request.headers.has("Idempotency-Key");
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt === retries;
      const waitMs = retryBaseMs * 2 ** attempt * (0.5 + Math.random() / 2);
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      let response: Response;
      try {
        response = await send(new Request(isLast ? request : request.clone(), { signal }));
      } catch (error) {
        if (request.signal.aborted) throw error;
        if (isLast || !isSafe) throw new NoAnswerError(request, attempt + 1, error);
        await sleep(waitMs, request.signal);
        continue;
      }
      const givenMs = retryAfterMs(response);
      // A 503 without a time may come from a proxy that has lost the answer.
      const wasRefused = response.status === 429 || (response.status === 503 && givenMs !== undefined);
      if (isLast || !(wasRefused || (isSafe && UNCERTAIN_STATUSES.includes(response.status))))
        return response;
      if (givenMs !== undefined && givenMs > retryLimitMs) return response;
      await response.body?.cancel();
      await sleep(givenMs ?? waitMs, request.signal);
    }
  };
}

/** Returns whether the request starts a write or a read: the operations that take an idempotency key. */
function takesIdempotencyKey({ method, url }: Request): boolean {
  return (
    method === "POST" &&
    /^\/(?:write|read)\/v1\/projects\/[^/]+\/integrations\/[^/]+\/objects\/[^/:]+$/.test(
      new URL(url).pathname,
    )
  );
}

/** Returns the milliseconds that `Retry-After` asks for, in seconds or as a date. */
function retryAfterMs({ headers }: Response): number | undefined {
  const value = headers.get("Retry-After");
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
