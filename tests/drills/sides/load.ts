/** The load of the drill: clients that create and update records, one call after the other, at any process that runs. */
import { setTimeout as wait } from "node:timers/promises";
import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { Answer, Client } from "../../harness/client.ts";
import { connectCustomer } from "../../harness/connect-customer.ts";
import type { Sink } from "../../harness/deliveries/sink.ts";
import type { DrillProcesses } from "../read/drill-processes.ts";
import { describeFound } from "../run-drill.ts";

export interface LoadReport {
  /** Answers by kind and status. */
  answers: Record<string, number>;
  /** Text of the first refusal with each status. */
  refusals: Record<string, string>;
  createsTwice: string[];
  createsMissing: string[];
  updatesMissing: string[];
  updatesOutOfOrder: string[];
  /** Operations with several messages. */
  toldTwice: string[];
}

const PAUSE_MS = 10;

export class Load {
  /** Name of each acknowledged write by its operation. */
  readonly writes = new Map<string, string>();
  readonly #answers: Record<string, number> = {};
  readonly #refusals: Record<string, string> = {};
  readonly #creates: string[] = [];
  /** Acknowledged values of each record. */
  readonly #updates = new Map<string, number[]>();
  readonly #ended = new AbortController();
  readonly #loops: Promise<void>[] = [];
  readonly #pauseMs: number;

  /** Each client waits between its calls. */
  constructor(pauseMs = PAUSE_MS) {
    this.#pauseMs = pauseMs;
  }

  /** `names`: as text in the names of the created records. */
  create(busbar: () => Client, groupRef: string, mode: "synchronous" | "asynchronous"): void {
    this.#repeat(mode, async (n) => {
      const name = `drill ${groupRef} ${mode} ${n}.`;
      const answer = await this.#write(busbar(), { groupRef, type: "create", mode, record: { name } });
      if (answer.status !== 200) return answer.status;
      this.#creates.push(name);
      this.writes.set(answer.body.operationId, name);
      return 200;
    });
  }

  /** Gives a record higher and higher values. */
  update(busbar: () => Client, groupRef: string, id: string): void {
    const values: number[] = [];
    this.#updates.set(id, values);
    this.#repeat("update", async (n) => {
      const record = { id, numberofemployees: String(n) };
      const answer = await this.#write(busbar(), { groupRef, type: "update", mode: "asynchronous", record });
      if (answer.status !== 200) return answer.status;
      values.push(n);
      this.writes.set(answer.body.operationId, `asynchronous update ${n} of ${id}`);
      return 200;
    });
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#loops);
  }

  /** Compares with what arrived. Creates whose outcome is unknown, `unknown` at most, may be missing or there twice. */
  judge(sandbox: Sandbox, sink: Sink): LoadReport {
    const companies = JSON.stringify(sandbox.records("hubspot", "companies"));
    const copies = (name: string) => companies.split(`"${name}"`).length - 1;
    const applied = listApplied(sandbox);
    const updates = [...this.#updates].flatMap(([id, values]) => values.map((value) => ({ id, value })));
    return {
      answers: this.#answers,
      refusals: this.#refusals,
      createsTwice: this.#creates.filter((name) => copies(name) > 1),
      createsMissing: this.#creates.filter((name) => copies(name) === 0),
      updatesMissing: updates
        .filter(({ id, value }) => !applied.get(id)?.includes(value))
        .map(({ id, value }) => `${value} of ${id}`),
      // An update may be repeated, but not after a later one.
      updatesOutOfOrder: [...applied]
        .filter(([, values]) => values.some((value, index) => value < (values[index - 1] ?? value)))
        .map(([id]) => id),
      toldTwice: listToldTwice(sink),
    };
  }

  #repeat(kind: string, call: (n: number) => Promise<number>): void {
    const loop = async (): Promise<void> => {
      for (let n = 0; !this.#ended.signal.aborted; n += 1) {
        const answer = await call(n).catch(() => "no connection");
        const key = `${kind} ${answer}`;
        this.#answers[key] = (this.#answers[key] ?? 0) + 1;
        await wait(this.#pauseMs);
      }
    };
    this.#loops.push(loop());
  }

  async #write(busbar: Client, body: object): Promise<Answer> {
    const answer = await busbar.write("hubspot", "companies", body);
    if (answer.status !== 200) this.#refusals[answer.status] ??= answer.text;
    return answer;
  }
}

/** Lists the values that the provider has accepted for each record, in order. */
function listApplied(sandbox: Sandbox): Map<string, number[]> {
  const applied = new Map<string, number[]>();
  for (const request of sandbox.requests({ provider: "hubspot", method: "PATCH" })) {
    if (request.status !== 200) continue;
    const id = request.path.split("/").at(-1) ?? "";
    const { properties } = JSON.parse(request.body) as { properties: { numberofemployees: string } };
    applied.set(id, [...(applied.get(id) ?? []), Number(properties.numberofemployees)]);
  }
  return applied;
}

/** A message that is sent again has the same id. */
function listToldTwice(sink: Sink): string[] {
  const ids = new Map<string, Set<string | undefined>>();
  for (const { body, headers } of sink.received) {
    const operation = /"operationId":"([^"]+)"/.exec(body)?.[1] ?? "";
    ids.set(operation, (ids.get(operation) ?? new Set()).add(headers["webhook-id"]));
  }
  return [...ids].filter(([, { size }]) => size > 1).map(([operation]) => operation);
}

interface DrilledCustomer {
  groupRef: string;
  /** Number of records that are updated. */
  records?: number;
  /** Manifest of the integration `hubspot`, which writes companies, and what the customer configures of it. */
  integration?: { manifest: string; content: object };
}

/** Connects a customer to HubSpot, makes its records, and writes for it from now on. */
export async function writeForCustomer(
  { processes, sandbox }: { processes: DrillProcesses; sandbox: Sandbox },
  load: Load,
  { groupRef, records = 1, integration }: DrilledCustomer,
): Promise<void> {
  const wanted = integration ? { integration: "hubspot", ...integration } : { objects: ["companies"] };
  const customer = await connectCustomer(
    { ...processes.any, sandbox },
    { provider: "hubspot", groupRef, expiresInSeconds: 86_400, ...wanted },
  );
  const busbar = () => processes.any;
  load.create(busbar, groupRef, "asynchronous");
  load.create(busbar, groupRef, "synchronous");
  for (let n = 0; n < records; n += 1) {
    const record = { name: `target ${groupRef} ${n}` };
    const made = await customer.succeed("companies", { type: "create", record });
    load.update(busbar, groupRef, made.result.recordId);
  }
}

/** Returns the violations of a load. `mayRefuse`: its customers may be refused with 503 meanwhile. */
export const listLoadFaults = (
  load: LoadReport,
  { unknownOutcomes, mayRefuse, of = "" }: { unknownOutcomes: number; mayRefuse: boolean; of?: string },
): string[] => [
  ...(["updatesMissing", "updatesOutOfOrder", "toldTwice", "createsTwice"] as const).flatMap((name) =>
    describeFound(`${name}${of}`, load[name]),
  ),
  // A create whose outcome is unknown is not repeated, and may have been sent or not.
  ...(load.createsMissing.length > unknownOutcomes
    ? describeFound(`not at the provider${of}`, load.createsMissing)
    : []),
  ...Object.keys(load.answers)
    .filter((key) => !(mayRefuse ? / (200|503|no connection)$/ : / (200|no connection)$/).test(key))
    .map((key) => `answers${of}, ${key}: ${load.answers[key]}`),
];

/** Calls the provider through the proxy for each customer, one call after the other, until it is stopped. */
export function callProxy(processes: DrillProcesses, groupRefs: readonly string[], pauseMs: number) {
  const ended = new AbortController();
  /** Answers by customer and status. */
  const answers: Record<string, Record<string, number>> = {};
  const loops = groupRefs.map(async (groupRef) => {
    const counts: Record<string, number> = (answers[groupRef] = {});
    while (!ended.signal.aborted) {
      const status = await processes.any
        .proxied({ integration: "hubspot", groupRef }, "/crm/v3/objects/companies?limit=1")
        .then((answer) => String(answer.status))
        .catch(() => "no connection");
      counts[status] = (counts[status] ?? 0) + 1;
      await wait(pauseMs);
    }
  });
  return {
    async stop() {
      ended.abort();
      await Promise.all(loops);
      return answers;
    },
  };
}
