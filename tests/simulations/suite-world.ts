/** Simulation and connector of the suites for declarative connectors, their calls, and readers of the answers. */
import assert from "node:assert/strict";
import type { Connector, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type { ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import type {
  Checkpoint,
  ReadConnector,
  ReadPage,
  ReadPlan,
  SourceRecord,
} from "../../connector-kit/read-connector.ts";
import type { JsonObject } from "../../ground/json.ts";
import type { Simulation } from "./start-simulation.ts";

/** Builds the id of a record that does not exist. */
export const buildMissingId = (id: string): string => id.replace(/\d(\d{3})$/, "7$1");

export const cloneExample = (plan: ObjectPlan): JsonObject =>
  structuredClone((plan.example ?? {}) as JsonObject);

export const planFor = (objectName: string): ReadPlan => planRead(objectName, { fields: ["n"] });

export function requireReader({ read: part }: Connector): ReadConnector {
  assert.ok(part);
  return part;
}

export async function scan(
  connector: ReadConnector,
  plan: ReadPlan,
  fetch: ProviderFetch,
): Promise<{ records: SourceRecord[]; pages: number }> {
  const records: SourceRecord[] = [];
  let checkpoint: Checkpoint | undefined;
  let pages = 0;
  do {
    const page: ReadPage = await connector.readPage(plan, checkpoint, fetch);
    records.push(...page.records);
    checkpoint = page.next && (JSON.parse(JSON.stringify(page.next)) as Checkpoint);
    pages += 1;
    assert.ok(pages < 50, "the scan does not end");
  } while (checkpoint);
  return { records, pages };
}

export function writeRecords(
  { write }: Connector,
  request: RecordWrite,
  fetch: ProviderFetch,
): Promise<WriteResult> {
  assert.ok(write);
  return write.write(request, fetch);
}

export function getOnlyRecordId({ outcomes }: WriteResult): string {
  const [outcome] = outcomes;
  assert.ok(outcome?.success && outcome.recordId, JSON.stringify(outcome));
  return outcome.recordId;
}

export function findError({ outcomes: [outcome] }: WriteResult): ProviderError | undefined {
  return outcome && !outcome.success ? outcome.error : undefined;
}

export const openFetch =
  (base: string): ProviderFetch =>
  async ({ method, path, headers, body, repeatable }) => {
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    try {
      const response = await fetch(base + path, {
        method,
        headers: { ...(text !== undefined && { "content-type": "application/json" }), ...headers },
        ...(text !== undefined && { body: text }),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      };
    } catch (cause) {
      const kind = repeatable ? "unavailable" : "unknown_outcome";
      throw new ProviderError({ kind, message: "the connection broke", cause });
    }
  };

export interface World {
  simulation: Simulation;
  connector: Connector;
  fetch: ProviderFetch;
}
