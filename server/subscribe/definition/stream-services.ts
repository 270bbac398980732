/** What reading streams of events needs. */
import type { AppCalls } from "../../calls/app-calls.ts";
import type { Http2Sessions } from "../../egress/http2-sessions.ts";
import type { Log } from "../../../ground/log.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import type { SubscribeMeter } from "./subscribe-services.ts";

export interface StreamServices extends CallServices {
  log: Log;
  http2: Http2Sessions;
  appCalls: AppCalls;
  workerId: () => number;
  retryBaseMs: number;
  /** How long changes of a record are collected; 0: each event is an entry. */
  windowMs: number;
  /** A stream without any answer for so long is opened again. */
  silenceMs: number;
  /** How long a journal without further entries is left alone. */
  journalRestMs: number;
  /** Absent if metrics are off. */
  subscribeMeter?: SubscribeMeter | undefined;
}
