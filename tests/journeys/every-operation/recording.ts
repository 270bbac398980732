/** Calls operations of openapi.json by name, checks that they succeed, and keeps requests and answers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TestBusbar } from "../../harness/busbar.ts";
import type { TestIssuer } from "../../harness/issuer.ts";
import { minimalBody } from "../../harness/minimal-body.ts";
import type { Sink } from "../../harness/deliveries/sink.ts";

/** A request that was made and its answer; bodies only where they are JSON or the bare text of an address. */
export interface RecordedCall {
  operationId: string;
  /** Tells several examples of one operation apart; without one, only the first call is an example. */
  title?: string;
  /** The status, where the operation cannot do its work. */
  refusedWith?: number;
  query?: Record<string, string>;
  request?: unknown;
  response?: unknown;
}

interface CallOptions {
  /** Title of the example. */
  title?: string;
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Where the operation cannot do its work yet, the refusal it must answer with. */
  refusedWith?: number;
  /** Which of several declared successes it must answer with. Default: the last. */
  success?: number;
  /** Another Busbar than that of the recording. */
  busbar?: TestBusbar;
}

/** Ids that the examples of a resource leave for those that come after them. */
interface Facts {
  destinationId: string;
  topicId: string;
  connectionId: string;
  installationId: string;
  revisionId: string;
  operationId: string;
  deliveryId: string;
  /** A member of that delivery's data. */
  eventMember: string;
}

export interface Recording {
  busbar: TestBusbar;
  /** Returns the answer's body. Fails unless it is the declared success. */
  // Examples state what they expect; a wrong guess fails them.
  // oxlint-disable-next-line typescript/no-explicit-any
  call(operationId: string, options?: CallOptions): Promise<any>;
  /** Every call, in order. */
  calls: RecordedCall[];
  facts: Facts;
  sink: Sink;
  /** Credentials of two people. */
  ada: Record<string, string>;
  bob: Record<string, string>;
  /** A Busbar whose people sign in with keys. */
  withoutIssuer: TestBusbar;
  /** That of `busbar`. */
  issuer: TestIssuer;
}

/** The example calls of a resource's operations, in `<resource>.examples.ts` beside its endpoints. */
export interface ResourceExamples {
  /** Resources whose examples are recorded first. */
  after?: readonly string[];
  run(recording: Recording): Promise<void>;
  /** Runs after all examples, in reverse order: deletes what others needed. */
  end?(recording: Recording): Promise<void>;
}

interface Place {
  method: string;
  path: string;
  success: number;
  /** Schema of the JSON body, if it takes one. */
  body: unknown;
}

interface ApiDocument {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        responses: object;
        requestBody?: { content: Record<string, { schema?: unknown }> };
      }
    >
  >;
  components: { schemas: Record<string, unknown> };
}

/** Replaces a reference to a named shape by the shape. */
function resolveSchema({ components }: ApiDocument, schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || !("$ref" in schema)) return schema;
  return components.schemas[String(schema.$ref).split("/").at(-1) ?? ""];
}

/** Every operation of openapi.json by its id. */
export function mapOperations(): Map<string, Place> {
  const document: ApiDocument = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../openapi.json"), "utf8"),
  );
  const found = new Map<string, Place>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId, responses, requestBody }] of Object.entries(methods)) {
      const success = Number(Object.keys(responses).findLast((status) => status.startsWith("2")));
      assert.ok(!found.has(operationId), `two operations are called ${operationId}`);
      const body = resolveSchema(document, requestBody?.content["application/json"]?.schema);
      found.set(operationId, { method: method.toUpperCase(), path, success, body });
    }
  }
  return found;
}

/** What examples leave under a name. */
const NAMES = {
  projectIdOrName: "default",
  integrationId: "crm",
  integrationIdOrName: "crm",
  provider: "hubspot",
  objectName: "contacts",
  groupRef: "acme",
  destination: "hook",
};

/**
 * Calls the operations without an example of their own, with ids that examples have left and the smallest body. What fails so needs a call
 * in the examples of its resource.
 */
export async function callOthers({ busbar, calls, call, facts }: Recording): Promise<void> {
  const called = new Set(calls.map(({ operationId }) => operationId));
  const path = { orgId: busbar.server.bootstrap?.orgId ?? "", ...facts };
  for (const [operationId, { method, body }] of mapOperations()) {
    if (called.has(operationId) || method === "DELETE") continue;
    await call(operationId, { path, ...(body !== undefined && { body: minimalBody(body) }) });
  }
}

const NO_FACTS: Facts = {
  destinationId: "",
  topicId: "",
  connectionId: "",
  installationId: "",
  revisionId: "",
  operationId: "",
  deliveryId: "",
  eventMember: "",
};

const MAX_TRIES = 10;

type Ground = Pick<Recording, "sink" | "ada" | "bob" | "withoutIssuer" | "issuer">;

export function openRecording(busbar: TestBusbar, ground: Ground): Recording {
  const known = mapOperations();
  const calls: RecordedCall[] = [];
  return {
    busbar,
    calls,
    ...ground,
    facts: { ...NO_FACTS },
    async call(operationId, options = {}) {
      const { title, path = {}, query, body, headers, refusedWith, success } = options;
      const place = known.get(operationId);
      assert.ok(place, `openapi.json has no operation ${operationId}`);
      const params: Record<string, string> = { ...NAMES, ...path };
      const filled = place.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
        const value = params[name];
        assert.ok(value, `${operationId}: no ${name}; call it in <resource>.examples.ts beside the endpoint`);
        return encodeURIComponent(value);
      });
      const search = query ? `?${new URLSearchParams(query).toString()}` : "";
      const send = () => (options.busbar ?? busbar).call(place.method, `${filled}${search}`, body, headers);
      let answer = await send();
      // Reads and subscriptions that examples began share the provider's rate limit with its calls.
      for (let tries = 1; answer.status === 429 && tries < MAX_TRIES; tries += 1) {
        await wait(Math.max(0, Date.parse(answer.headers.get("retry-after") ?? "") - Date.now()));
        answer = await send();
      }
      assert.equal(
        answer.status,
        refusedWith ?? success ?? place.success,
        `${operationId}: ${answer.text.slice(0, 2_000)}`,
      );
      const type = answer.headers.get("content-type") ?? "";
      const shown = refusedWith === undefined && /json|text\/plain/.test(type);
      calls.push({
        operationId,
        ...(title !== undefined && { title }),
        ...(refusedWith !== undefined && { refusedWith }),
        ...(query && { query }),
        ...(body !== undefined && typeof body !== "string" && { request: body }),
        ...(shown && { response: answer.body }),
      });
      return answer.body;
    },
  };
}
