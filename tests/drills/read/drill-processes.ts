/** Processes of a drill, of which one at a time is killed and started again. */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startChildBusbar, type ChildBusbar } from "../../harness/child-busbar.ts";

export class DrillProcesses {
  readonly #home: string;
  readonly #buildEnv: (name: string) => Record<string, string>;
  readonly #running = new Map<string, ChildBusbar>();

  /** `home` has `catalog.json`. */
  constructor(home: string, buildEnv: (name: string) => Record<string, string>) {
    this.#home = home;
    this.#buildEnv = buildEnv;
  }

  get running(): ReadonlyMap<string, ChildBusbar> {
    return this.#running;
  }

  get any(): ChildBusbar {
    const [child] = this.#running.values();
    if (!child) throw new Error("no process runs");
    return child;
  }

  /** Names of those that run. */
  get names(): string[] {
    return [...this.#running.keys()];
  }

  async start(name: string): Promise<void> {
    const child = await startChildBusbar(join(this.#home, name), {
      BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 7).toString("base64")}`,
      BUSBAR_BOOTSTRAP_API_KEY: "drill-key-0123456789-0123456789-0123",
      BUSBAR_CATALOG: join(this.#home, "catalog.json"),
      BUSBAR_EGRESS_ALLOW: "127.0.0.1",
      BUSBAR_WEBHOOK_RETRY_SECONDS: Array.from({ length: 200 }, () => 1).join(","),
      BUSBAR_LOG_LEVEL: "info",
      ...this.#buildEnv(name),
    });
    this.#running.set(name, child);
  }

  async kill(name: string): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    child?.signal("SIGKILL");
    await child?.exited;
    await this.start(name);
  }

  /** Stops a process for a while without ending it; its connections stay open. */
  async suspend(name: string, ms: number): Promise<void> {
    const child = this.#running.get(name);
    child?.signal("SIGSTOP");
    await wait(ms);
    child?.signal("SIGCONT");
  }

  async stop(): Promise<void> {
    for (const child of this.#running.values()) {
      child.signal("SIGTERM");
      await child.exited;
    }
  }
}
