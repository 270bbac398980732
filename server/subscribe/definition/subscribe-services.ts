/** What processing events needs. */
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import type { ReadPaces } from "../../read/records/paced-fetch.ts";
import type { AppCalls } from "../../calls/app-calls.ts";
import type { Http2Sessions } from "../../egress/http2-sessions.ts";

/** Counts what subscriptions do. */
export interface SubscribeMeter {
  received(events: { stored: number; duplicates: number; unmatched: number }): void;
  refused(reason: "signature" | "form" | "unavailable" | "full"): void;
  ended(events: { inMessage: number; coalesced: number; filtered: number; repeated: number }): void;
  /** A page of a scan brought so many changes. */
  found(events: number): void;
}

export interface SubscribeServices extends CallServices {
  log: Log;
  sealer: Sealer;
  installations: InstallationCache;
  metadata: MetadataMemory;
  paces: ReadPaces;
  retryBaseMs: number;
  /** How long changes of a record are collected; 0: each event is an entry. */
  windowMs: number;
  /** Time from one poll to the next. */
  pollMs: number;
  /** Absent if metrics are off. */
  subscribeMeter?: SubscribeMeter | undefined;
}

/** What reading streams of events needs. */
export interface StreamServices extends CallServices {
  log: Log;
  http2: Http2Sessions;
  appCalls: AppCalls;
  workerId: () => number;
  retryBaseMs: number;
  /** How long changes of a record are collected; 0: each event is an entry. */
  windowMs: number;
  /** A stream that was silent for this long is opened again. */
  silenceMs: number;
  /** Pause before a journal without further entries is read again. */
  journalRestMs: number;
  /** Absent if metrics are off. */
  subscribeMeter?: SubscribeMeter | undefined;
}
