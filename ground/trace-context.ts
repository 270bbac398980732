/** Reads and writes the header `traceparent` of W3C Trace Context, level 1: https://www.w3.org/TR/trace-context/ */

/** A place in a trace: what is done for it becomes a child of this span. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether the caller records its part of the trace. */
  sampled: boolean;
}

/** Later versions may append members. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Returns the context that a header names; undefined if there is none, or if it is not valid, as the standard demands. */
export function readTraceparent(header: string | string[] | null | undefined): TraceContext | undefined {
  if (typeof header !== "string" || header.length > 512) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(header.trim()) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

/** Writes the header of a context. */
export const toTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
