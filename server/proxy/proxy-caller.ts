/** Sends a proxied call for a caller of the API: through the proxy's own server, over a connection inside this process. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { duplexPair } from "node:stream";
import { elapsedMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import { formatTraceparent } from "../../ground/span.ts";
import { createForwardingServer, type ForwardingDeps } from "./forwarding-server.ts";
import { neverPasses } from "./read-head.ts";
import type { Admission } from "./target.ts";
import type { Targets } from "./targets.ts";

interface AskedCall {
  projectId: string;
  installationId: string;
  by: Omit<Admission, "target">;
  method: string;
  /** Path and query, as for the proxy. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

interface ProxiedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Whether the body was longer and is cut off. */
  truncated: boolean;
  durationMs: number;
}

export interface ProxyCaller {
  /** Returns the provider's answer. Throws the Problem with which the proxy refuses the call. */
  call(asked: AskedCall): Promise<ProxiedAnswer>;
}

/** A caller that is there before the proxy is; calls wait for it. */
export interface LateProxyCaller extends ProxyCaller {
  open(proxy: ProxyCaller): void;
}

export function createLateProxyCaller(): LateProxyCaller {
  const { promise, resolve } = Promise.withResolvers<ProxyCaller>();
  return { open: resolve, call: async (asked) => (await promise).call(asked) };
}

const MAX_BYTES = 1024 * 1024;

export function openProxyCaller(deps: Omit<ForwardingDeps, "targets">, targets: Targets): ProxyCaller {
  return {
    async call(asked) {
      const startedMs = elapsedMs();
      const headers = buildHeaders(asked);
      let refusal: Problem | undefined;
      const server = createForwardingServer({
        ...deps,
        targets: {
          ...targets,
          known: () => undefined,
          resolve: (names) => targets.admit(names, asked.by),
        },
        onRefused(problem) {
          refusal = problem;
          deps.onRefused?.(problem);
        },
      });
      const [near, far] = duplexPair();
      server.emit("connection", far);
      try {
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          const { method, path, body } = asked;
          // A Duplex has all that Node's client needs of a socket.
          const createConnection = () => near as never;
          httpRequest({ createConnection, method, path, headers }, resolve).on("error", reject).end(body);
        });
        const read = await readText(answer);
        if (refusal) throw refusal;
        const durationMs = Math.round(elapsedMs() - startedMs);
        return { status: answer.statusCode ?? 0, headers: flattenHeaders(answer), ...read, durationMs };
      } catch (error) {
        throw refusal ?? error;
      } finally {
        near.destroy();
        far.destroy();
      }
    },
  };
}

const CONTENT_TYPE = "content-type";

/** Returns the headers of the request. Throws a Problem for one that the proxy sets or drops. */
function buildHeaders(asked: AskedCall): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(asked.headers)) {
    const lower = name.toLowerCase();
    const isOurs = neverPasses(lower) && lower !== "x-amp-rate-limiter-mode";
    if (isOurs || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw refuseHeader(name, "cannot be sent.");
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw refuseHeader(name, "must be ASCII without line breaks.");
    // The answer is shown as text, so it must not be compressed.
    if (lower !== "accept-encoding") headers[lower] = value;
  }
  if (asked.body !== undefined) {
    headers[CONTENT_TYPE] ??= "application/json";
    headers["content-length"] = String(Buffer.byteLength(asked.body));
  }
  const traceparent = formatTraceparent();
  return {
    ...headers,
    host: "proxy",
    connection: "close",
    "x-amp-proxy-version": "1",
    "x-amp-project-id": asked.projectId,
    "x-amp-installation-id": asked.installationId,
    ...(traceparent !== undefined && { traceparent }),
  };
}

function refuseHeader(name: string, fault: string): Problem {
  const detail = `headers.${name}: ${fault}`;
  const remedy = "Leave it out: the proxy sets the credentials and the headers of the connection.";
  return new Problem("invalid-request", {
    detail,
    remedy,
    issues: [{ in: "body", name: `headers.${name}`, detail, remedy }],
  });
}

/** Reads at most a megabyte; what is longer is cut off, and the call ended. */
async function readText(answer: IncomingMessage): Promise<{ body: string; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_BYTES) break;
  }
  const whole = Buffer.concat(chunks).subarray(0, MAX_BYTES);
  const truncated = size > MAX_BYTES;
  // As a stream: a character that was cut in two is left out.
  return { body: new TextDecoder().decode(whole, { stream: truncated }), truncated };
}

/** Headers of the connection inside this process are left out. */
const flattenHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined || /^(connection|keep-alive|transfer-encoding)$/.test(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
