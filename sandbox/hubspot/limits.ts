// HubSpot's rate limits: a rolling window of ten seconds per token, five searches per second, and a daily total per account.

import { randomUUID } from "node:crypto";
import type { SandboxAnswer, Data } from "../exchange.ts";

type Limits = { tenSecondly: number; searchPerSecond: number; daily: number };

const REAL: Limits = { tenSecondly: 110, searchPerSecond: 5, daily: Number.POSITIVE_INFINITY };
const OFF: Limits = {
  tenSecondly: Number.POSITIVE_INFINITY,
  searchPerSecond: Number.POSITIVE_INFINITY,
  daily: Number.POSITIVE_INFINITY,
};

const WINDOW_MS = 10_000;

export class HubSpotLimits {
  #limits: Limits;
  readonly #windows = new Map<string, number[]>();
  #searches: number[] = [];
  #today = 0;

  constructor(mode: "real" | "off") {
    this.#limits = mode === "off" ? OFF : REAL;
  }

  /** Changes the limits. Missing members keep their value; null removes a limit. */
  set(limits: Data | "off" | "real"): void {
    this.#windows.clear();
    this.#searches = [];
    this.#today = 0;
    if (limits === "off") this.#limits = OFF;
    else if (limits === "real") this.#limits = REAL;
    else {
      const next = { ...this.#limits };
      for (const name of ["tenSecondly", "searchPerSecond", "daily"] as const) {
        const value = limits[name];
        if (typeof value === "number") next[name] = value;
        else if (value === null) next[name] = Number.POSITIVE_INFINITY;
      }
      this.#limits = next;
    }
  }

  show(): Data {
    const shown = Object.entries(this.#limits).map(([name, value]) => [
      name,
      Number.isFinite(value) ? value : null,
    ]);
    return { ...Object.fromEntries(shown), usedToday: this.#today };
  }

  /** Counts a call, and returns the refusal if it exceeds a limit. */
  count(token: string, search: boolean): SandboxAnswer | undefined {
    const now = Date.now();
    this.#today++;
    if (this.#today > this.#limits.daily) return refuseCall("DAILY", "You have reached your daily limit.");
    if (search) return this.#countSearch(now);
    if (!Number.isFinite(this.#limits.tenSecondly)) return undefined;
    const window = dropOld(this.#windows.get(token) ?? [], now - WINDOW_MS);
    this.#windows.set(token, window);
    if (window.length >= this.#limits.tenSecondly) {
      return refuseCall("TEN_SECONDLY_ROLLING", "You have reached your ten_secondly_rolling limit.");
    }
    window.push(now);
    return undefined;
  }

  /** Returns the rate headers of a counted answer; none while the limit is off. */
  headers(token: string): Record<string, string> {
    const { tenSecondly } = this.#limits;
    if (!Number.isFinite(tenSecondly)) return {};
    const used = this.#windows.get(token)?.length ?? 0;
    return {
      "x-hubspot-ratelimit-max": String(tenSecondly),
      "x-hubspot-ratelimit-remaining": String(Math.max(0, tenSecondly - used)),
      "x-hubspot-ratelimit-interval-milliseconds": String(WINDOW_MS),
    };
  }

  #countSearch(now: number): SandboxAnswer | undefined {
    if (!Number.isFinite(this.#limits.searchPerSecond)) return undefined;
    this.#searches = dropOld(this.#searches, now - 1000);
    if (this.#searches.length >= this.#limits.searchPerSecond) {
      return refuseCall("SECONDLY", "You have reached your secondly limit.");
    }
    this.#searches.push(now);
    return undefined;
  }
}

function dropOld(times: number[], from: number): number[] {
  const first = times.findIndex((at) => at > from);
  if (first === -1) return [];
  return first === 0 ? times : times.slice(first);
}

function refuseCall(policyName: string, message: string): SandboxAnswer {
  const body = {
    status: "error",
    message,
    errorType: "RATE_LIMIT",
    category: "RATE_LIMITS",
    correlationId: randomUUID(),
    policyName,
    requestId: randomUUID(),
  };
  return { status: 429, body };
}
