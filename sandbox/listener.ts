// HTTP listener: reads whole requests, logs them, applies faults, dispatches by path prefix, answers.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { SandboxClock } from "./clock.ts";
import { alterAnswer } from "./control/alterations.ts";
import type { ActiveFault, Faults } from "./control/faults.ts";
import type { LoggedRequest, RequestLog } from "./control/request-log.ts";
import { Refused, type SandboxAnswer, type SandboxExchange } from "./exchange.ts";
import type { Provider } from "./provider.ts";

type Site = {
  providers: Provider[];
  control(exchange: SandboxExchange): SandboxAnswer;
  faults: Faults;
  log: RequestLog;
  clock: SandboxClock;
};

/** Larger than every provider's own limit, so that the provider refuses. */
const MAX_HEAD_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export function createListener(site: Site): Server {
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    readBody(request)
      .then((body) => serve(site, request, response, body))
      .catch(() => request.socket.destroy());
  });
  // Longer than the idle timeout of any client, so that a kept connection is not closed during a request.
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 0;
  return server;
}

async function serve(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  const method = request.method ?? "GET";
  const target = request.url ?? "/";
  const split = target.indexOf("?");
  const path = split === -1 ? target : target.slice(0, split);
  const query = split === -1 ? "" : target.slice(split + 1);
  const place = findPlace(site, path);
  const exchange: SandboxExchange = {
    method,
    path: place.path,
    query: new URLSearchParams(query),
    headers: request.headers,
    body: body.length === 0 ? "" : body.toString("utf8"),
    params: {},
    lineBytes: `${method} ${place.path}${target.slice(path.length)} HTTP/1.1`.length,
    headerBytes: request.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0),
  };
  if (place.provider === undefined) {
    send(
      response,
      method,
      path.startsWith("/sandbox/") ? answerFailure(() => site.control(exchange)) : NOWHERE,
    );
    return;
  }
  const { provider } = place;
  const entry = site.log.add({
    provider: provider.name,
    method,
    path: target,
    headers: request.headers,
    body,
  });
  const call = { provider, exchange, entry, request, response };
  const fault = site.faults.take({ provider: provider.name, method, path: target, body: exchange.body });
  if (fault === undefined) answer(site, call, carryOut(call));
  else await serveFaulty(site, call, fault);
}

/** Request to a provider, with its line in the log. */
type Call = {
  provider: Provider;
  exchange: SandboxExchange;
  entry: LoggedRequest;
  request: IncomingMessage;
  response: ServerResponse;
};

async function serveFaulty(site: Site, call: Call, fault: ActiveFault): Promise<void> {
  const { request } = call;
  call.entry.fault = fault.id;
  await site.faults.delay(fault);
  if (fault.hang === true) return;
  if (fault.reset === "before") {
    request.socket.resetAndDestroy();
    return;
  }
  const done = fault.status === undefined || fault.stored === true ? carryOut(call) : undefined;
  if (fault.reset === "after") {
    if (done === undefined) carryOut(call);
    request.socket.resetAndDestroy();
    return;
  }
  const isAltered = fault.status === undefined && done !== undefined;
  answer(site, call, isAltered ? alterAnswer(fault, done) : buildFaultAnswer(fault));
}

/** Finds the provider for a path. Salesforce's links are relative to the host, so `/services/…` without a prefix leads to it, too. */
function findPlace(site: Site, path: string): { provider: Provider | undefined; path: string } {
  for (const provider of site.providers) {
    const prefix = `/${provider.name}`;
    if (path === prefix || path.startsWith(`${prefix}/`)) {
      return { provider, path: path.slice(prefix.length) || "/" };
    }
  }
  if (path.startsWith("/services/")) {
    return { provider: site.providers.find((provider) => provider.name === "salesforce"), path };
  }
  return { provider: undefined, path };
}

function carryOut({ provider, exchange }: Call): SandboxAnswer {
  return answerFailure(() => provider.answer(exchange));
}

function answerFailure(work: () => SandboxAnswer): SandboxAnswer {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { status: 500, body: { sandboxError: text } };
  }
}

function buildFaultAnswer(fault: ActiveFault): SandboxAnswer {
  const body = fault.bodyBase64 === undefined ? fault.body : Buffer.from(fault.bodyBase64, "base64");
  return {
    status: fault.status ?? 500,
    body,
    ...(fault.headers === undefined ? {} : { headers: fault.headers }),
  };
}

function answer(site: Site, { entry, exchange, response }: Call, answered: SandboxAnswer): void {
  site.log.answered(entry, answered.status);
  response.setHeader("date", site.clock.dateHeader());
  send(response, exchange.method, answered);
}

function send(response: ServerResponse, method: string, answered: SandboxAnswer): void {
  const { status, headers, body, lines } = answered;
  if (lines !== undefined) {
    response.writeHead(status, headers);
    pipeline(Readable.from(joinLines(lines)), response).catch(() => response.destroy());
    return;
  }
  if (body === undefined || status === 204 || status === 304) {
    response.writeHead(
      status,
      status === 204 || status === 304 ? headers : { "content-length": 0, ...headers },
    );
    response.end();
    return;
  }
  const plain = typeof body === "string" || Buffer.isBuffer(body);
  const payload = plain ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": plain ? "text/plain; charset=utf-8" : "application/json;charset=UTF-8",
    "content-length": payload.length,
    ...headers,
  });
  response.end(method === "HEAD" ? undefined : payload);
}

const CHARACTERS_AT_ONCE = 256 * 1024;

/** Joins lines, so that a long stream needs few writes. */
function* joinLines(lines: Iterable<string>): Generator<string> {
  let batch = "";
  for (const line of lines) {
    batch += line;
    if (batch.length < CHARACTERS_AT_ONCE) continue;
    yield batch;
    batch = "";
  }
  yield batch;
}

const NOWHERE: SandboxAnswer = {
  status: 404,
  body: { message: "Nothing here. Providers: /hubspot, /salesforce. Control: /sandbox/…" },
};

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) reject(new RangeError("body too large"));
      else chunks.push(chunk);
    });
    request.on("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    request.on("error", reject);
  });
}
