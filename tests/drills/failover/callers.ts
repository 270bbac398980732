/** The callers of the drill: clients that write and use the proxy, one after the other, without a pause. */
import { setTimeout as wait } from "node:timers/promises";
import type { ChildBusbar } from "../../harness/child-busbar.ts";
import type { Customer } from "../../harness/connect-customer.ts";

export class Callers {
  /** Name of each acknowledged record by its operation. */
  readonly writes = new Map<string, string>();
  /** Answers by kind and status. */
  readonly answers: Record<string, number> = {};
  /** Acknowledged writes of each process. */
  readonly acknowledged: Record<string, number> = {};
  readonly #processes: ReadonlyMap<string, ChildBusbar>;
  readonly #customer: Pick<Customer, "integration" | "groupRef">;

  constructor(
    processes: ReadonlyMap<string, ChildBusbar>,
    customer: Pick<Customer, "integration" | "groupRef">,
  ) {
    this.#processes = processes;
    this.#customer = customer;
    for (const name of processes.keys()) this.acknowledged[name] = 0;
  }

  /** Calls every process until then. */
  async callUntil(endMs: number): Promise<void> {
    await Promise.all(
      [...this.#processes].flatMap(([name, child]) => [
        this.#repeat(endMs, (n) => this.#write(name, child, n, "asynchronous")),
        this.#repeat(endMs, (n) => this.#write(name, child, n, "synchronous")),
        this.#repeat(endMs, () => this.#proxied(child)),
      ]),
    );
  }

  async #repeat(endMs: number, call: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; performance.now() < endMs; n += 1) {
      await call(n).catch((error: unknown) => this.#count("connection", String(error)));
      await wait(10);
    }
  }

  async #write(process: string, busbar: ChildBusbar, n: number, mode: string): Promise<void> {
    const { integration, groupRef } = this.#customer;
    const name = `drill ${process} ${mode} ${n}`;
    const body = { groupRef, type: "create", mode, record: { name } };
    const { status, body: answer } = await busbar.write(integration, "companies", body);
    this.#count(mode, status);
    if (status !== 200) return;
    this.writes.set(answer.operationId, name);
    this.acknowledged[process] = (this.acknowledged[process] ?? 0) + 1;
  }

  async #proxied(busbar: ChildBusbar): Promise<void> {
    const { status } = await busbar.proxied(this.#customer, "/crm/v3/objects/companies?limit=1");
    this.#count("proxied", status);
  }

  #count(kind: string, status: number | string): void {
    const key = `${kind} ${status}`;
    this.answers[key] = (this.answers[key] ?? 0) + 1;
  }
}
