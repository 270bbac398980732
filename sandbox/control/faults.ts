// Active faults, and the choice of the fault that applies to a request.

import { setTimeout as sleep } from "node:timers/promises";
import { listSpellings } from "../hubspot/paths.ts";
import { findPreset } from "./fault-presets.ts";
import type { SandboxFault } from "./fault.ts";

export type ActiveFault = SandboxFault & { id: string; remaining: number; skipped: number; hits: number };

/** Parts of a request that decide whether a fault applies. */
type FaultableRequest = { provider: string; method: string; path: string; body: string };

export class Faults {
  #active: ActiveFault[] = [];
  #nextId = 1;
  #cleared = new AbortController();

  /** Adds a fault and returns its id. Throws a RangeError that names the mistake. */
  add(fault: SandboxFault): string {
    const full = fault.preset === undefined ? fault : { ...findPreset(fault.preset), ...fault };
    const acts =
      full.status !== undefined ||
      full.delayMs !== undefined ||
      full.reset !== undefined ||
      full.alter !== undefined ||
      full.hang === true;
    if (!acts) throw new RangeError("a fault needs one of: status, preset, delayMs, reset, hang, alter");
    const id = `fault-${this.#nextId++}`;
    this.#active.push({ ...full, id, remaining: full.count ?? 1, skipped: 0, hits: 0 });
    return id;
  }

  list(): ActiveFault[] {
    return this.#active.map((fault) => ({ ...fault }));
  }

  clear(id?: string): void {
    this.#active = id === undefined ? [] : this.#active.filter((fault) => fault.id !== id);
    if (id !== undefined) return;
    this.#cleared.abort();
    this.#cleared = new AbortController();
  }

  /** Waits as long as the fault says, or until all faults are cleared. */
  async delay({ delayMs }: ActiveFault): Promise<void> {
    if (delayMs === undefined) return;
    await sleep(delayMs, undefined, { ref: false, signal: this.#cleared.signal }).catch(() => {});
  }

  /** Finds the fault for this request, and counts the request. */
  take(request: FaultableRequest): ActiveFault | undefined {
    for (const fault of this.#active) {
      if (fault.remaining <= 0 || !matchesRequest(fault, request)) continue;
      if (fault.skipped < (fault.skip ?? 0)) {
        fault.skipped++;
        continue;
      }
      fault.remaining--;
      fault.hits++;
      return fault;
    }
    return undefined;
  }
}

function matchesRequest(fault: SandboxFault, { provider, method, path, body }: FaultableRequest): boolean {
  if (fault.provider !== undefined && fault.provider !== provider) return false;
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false;
  if (fault.path !== undefined && !matchesPath(fault.path, path)) return false;
  return fault.bodyContains === undefined || body.includes(fault.bodyContains);
}

function matchesPath(wanted: string, path: string): boolean {
  const all = listSpellings(path);
  if (all.some((one) => one.includes(wanted))) return true;
  try {
    const pattern = new RegExp(wanted);
    return all.some((one) => pattern.test(one));
  } catch {
    return false;
  }
}
