// Pub/Sub API of the simulated organisation: a gRPC server on a separate port, in plain text or with TLS.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { Grants } from "../oauth/grants.ts";
import { toReachableHost } from "../reachable-host.ts";
import type { EventBus } from "./event-bus.ts";
import { ORG_ID } from "./org.ts";
import { readBytes, decode, encode, buildFrame, unframe, type Fields } from "./pubsub-wire.ts";
import { Subscriber } from "./subscriber.ts";

const PREFIX = "sfdc.platform.eventbus.grpc.";
const SERVICE = "/eventbus.v1.PubSub/";
const RPC_ID = "rpc-id";
const RESET = 2;

/** Names of the codes, with their numbers in gRPC. */
const STATUS: Record<string, number> = {
  "service.auth.error": 16,
  "service.auth.headers.invalid": 16,
  "service.unavailable": 14,
  "topic.not.found": 5,
  "subscription.limit.exceeded": 8,
  "subscription.topic.cannot.subscribe": 7,
};

/** Certificate and key, in PEM form. */
export type PubSubTls = { key: string; cert: string };

type StreamCall = { method: string; topic: string; preset: number; requested: number; open: boolean };

export class PubSubServer {
  readonly #bus: EventBus;
  readonly #grants: Grants;
  readonly #origin: () => string;
  readonly #server: Http2Server | Http2SecureServer;
  readonly #scheme: "http" | "https";
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #subscribers = new Set<Subscriber>();
  /** Subscribe calls since the start, newest last. */
  readonly calls: StreamCall[] = [];
  /** Calls to refuse, by method. */
  readonly #refusals: { method: string; code: string; left: number }[] = [];

  constructor(bus: EventBus, grants: Grants, origin: () => string, tls?: PubSubTls) {
    this.#bus = bus;
    this.#grants = grants;
    this.#origin = origin;
    const settings = { maxConcurrentStreams: 1_000 };
    this.#scheme = tls === undefined ? "http" : "https";
    this.#server = tls === undefined ? createServer({ settings }) : createSecureServer({ ...tls, settings });
    this.#server.on("session", (session) => {
      this.#sessions.add(session);
      session.on("close", () => this.#sessions.delete(session));
      session.on("error", () => {});
    });
    this.#server.on("stream", (stream, headers) => this.#serve(stream, headers));
  }

  /** Listens on the port, or on a free one if it is taken; the catalog has its address. Returns the origin. */
  async listen(port: number, host: string): Promise<string> {
    try {
      this.#server.listen(port, host);
      await once(this.#server, "listening");
    } catch (error) {
      if (port === 0) throw error;
      this.#server.listen(0, host);
      await once(this.#server, "listening");
    }
    const address = this.#server.address() as AddressInfo;
    return `${this.#scheme}://${toReachableHost(host)}:${address.port}`;
  }

  get open(): number {
    return this.#subscribers.size;
  }

  /** Refuses the next calls of a method, in place of those that were to be refused before. */
  refuse(method: string, code: string, count: number): void {
    for (const refusal of this.#refusals) if (refusal.method === method) refusal.left = 0;
    this.#refusals.push({ method, code, left: count });
  }

  /** Breaks all Subscribe calls: with a code, by a reset, or by ending the connections. */
  break(how: "reset" | "goaway" | "disconnect" | "status", code = "service.unavailable"): void {
    if (how === "goaway") for (const session of this.#sessions) session.goaway();
    if (how === "disconnect") for (const session of this.#sessions) session.destroy();
    for (const subscriber of this.#subscribers) {
      if (how === "reset") subscriber.fail("", "reset");
      else if (how === "status") subscriber.fail(code, "asked for by a control");
    }
  }

  reset(): void {
    this.#refusals.length = 0;
    this.calls.length = 0;
    this.break("status", "topic.not.found");
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on("error", () => {});
    const path = String(headers[":path"]);
    const method = path.startsWith(SERVICE) ? path.slice(SERVICE.length) : "";
    const refusal = this.#refusals.find((one) => one.method === method && one.left > 0);
    if (refusal !== undefined) {
      refusal.left--;
      return fail(stream, refusal.code, "asked for by a control");
    }
    const fault = this.#findFault(headers);
    if (fault !== undefined) return fail(stream, fault, "the call is not authenticated");
    if (method === "Subscribe") return this.#subscribe(stream);
    if (method !== "GetTopic" && method !== "GetSchema") {
      return fail(stream, "", `unknown method ${path}`, 12);
    }
    readAll(stream, (fields) => {
      const name = readBytes(fields, 1).toString();
      if (method === "GetTopic") this.#topic(stream, name);
      else this.#schema(stream, name);
    });
  }

  #findFault(headers: IncomingHttpHeaders): string | undefined {
    const { accesstoken, instanceurl, tenantid } = headers;
    if (accesstoken === undefined || instanceurl === undefined || tenantid === undefined) {
      return "service.auth.headers.invalid";
    }
    const isKnown = this.#grants.check(String(accesstoken)).state === "valid";
    const { host, origin } = new URL(this.#origin());
    // Salesforce has no plain-text address: some clients accept none, and use https for the sandbox.
    const isOurs = (instanceurl === origin || instanceurl === `https://${host}`) && tenantid === ORG_ID;
    return isKnown && isOurs ? undefined : "service.auth.error";
  }

  #topic(stream: ServerHttp2Stream, name: string): void {
    const topic = this.#bus.findTopic(name);
    if (topic === undefined) return fail(stream, "topic.not.found", `the topic ${name} does not exist`);
    answer(
      stream,
      encode([
        [1, name],
        [2, ORG_ID],
        [4, true],
        // A channel with several objects has no schema id.
        [5, topic.event === undefined ? "" : this.#bus.getSchemaId(topic.event)],
        [6, randomUUID()],
      ]),
    );
  }

  #schema(stream: ServerHttp2Stream, id: string): void {
    const schema = this.#bus.schemas.get(id);
    if (schema === undefined) return fail(stream, "schema.not.found", `the schema ${id} does not exist`);
    answer(
      stream,
      encode([
        [1, schema.json],
        [2, id],
        [3, randomUUID()],
      ]),
    );
  }

  #subscribe(stream: ServerHttp2Stream): void {
    let isAnswered = false;
    let rest: Buffer = Buffer.alloc(0);
    const call: StreamCall = { method: "Subscribe", topic: "", preset: 0, requested: 0, open: true };
    this.calls.push(call);
    const respond = (): void => {
      if (isAnswered || stream.destroyed) return;
      isAnswered = true;
      stream.respond(HEAD, { waitForTrailers: true });
    };
    const subscriber = new Subscriber(this.#bus, {
      send(message) {
        respond();
        if (!stream.destroyed) stream.write(buildFrame(message));
      },
      end(code, message) {
        if (stream.destroyed) return;
        if (code === "") stream.close(RESET);
        else if (!isAnswered) fail(stream, code, message);
        else {
          stream.once("wantTrailers", () => stream.sendTrailers(buildTrailers(code, message)));
          stream.end();
        }
      },
    });
    this.#subscribers.add(subscriber);
    stream.on("data", (chunk: Buffer) => {
      const read = unframe(Buffer.concat([rest, chunk]));
      rest = read.rest;
      for (const message of read.messages) {
        const fields = decode(message);
        if (call.requested === 0) {
          call.topic = readBytes(fields, 1).toString();
          call.preset = Number(fields.get(2)?.at(-1) ?? 0);
        }
        call.requested += 1;
        subscriber.request(fields);
      }
    });
    stream.on("close", () => {
      call.open = false;
      subscriber.stop();
      this.#subscribers.delete(subscriber);
    });
  }
}

const HEAD = { ":status": 200, "content-type": "application/grpc" };

function buildTrailers(code: string, message: string, status = STATUS[code] ?? 3): Record<string, string> {
  return {
    "grpc-status": String(status),
    "grpc-message": encodeURIComponent(message),
    ...(code === "" ? {} : { "error-code": `${PREFIX}${code}` }),
    [RPC_ID]: randomUUID(),
  };
}

function fail(stream: ServerHttp2Stream, code: string, message: string, status?: number): void {
  stream.respond({ ...HEAD, ...buildTrailers(code, message, status) }, { endStream: true });
  // The rest of the client's request is ignored.
  stream.resume();
}

function answer(stream: ServerHttp2Stream, message: Buffer): void {
  stream.respond(HEAD, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0", [RPC_ID]: randomUUID() }));
  stream.end(buildFrame(message));
}

/** Reads a unary call, which is answered when the caller has ended its request, like by any gRPC server. */
function readAll(stream: ServerHttp2Stream, then: (fields: Fields) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => (bytes = Buffer.concat([bytes, chunk])));
  stream.on("end", () => {
    const [first] = unframe(bytes).messages;
    if (first !== undefined) then(decode(first));
  });
}
