/** Converts the time span of a triggered read: from the request, to the run, to the event. */
import { Problem, type Issue } from "../../../ground/errors.ts";
import type { ClaimedRun } from "../../store/reads/read-runs.ts";
import type { ReadSpan } from "../../events/new-events.ts";

export interface RequestedSpan {
  /** Null: all records. */
  sinceTime: Date | null;
  /** Null: until the run begins. */
  untilTime: Date | null;
}

/** Lower bound of a read that has only an upper one. A read without bounds uses the provider's scan over all records. */
const BEGINNING = new Date(0);

/** Returns the bounds to read; an upper one in the future is cut to `now`. Throws a 400 Problem. */
export function resolveSpan(
  { sinceTimestamp, untilTimestamp }: { sinceTimestamp?: string; untilTimestamp?: string },
  now: Date,
): RequestedSpan {
  const since = readTime("sinceTimestamp", sinceTimestamp);
  const until = readTime("untilTimestamp", untilTimestamp);
  const untilTime = until && until > now ? now : until;
  if (since && since >= (untilTime ?? now)) {
    const before = until && until <= now ? "`untilTimestamp`" : "now";
    const detail = `must be before ${before}`;
    throw refuse({ name: "sinceTimestamp", detail, value: sinceTimestamp });
  }
  return { sinceTime: since ?? (untilTime && BEGINNING), untilTime };
}

/** The schema has checked the form. */
function readTime(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw refuse({ name, detail: "must be a time with its zone such as 2026-01-31T12:00:00Z", value: text });
}

const refuse = (issue: Omit<Issue, "in">): Problem =>
  new Problem("invalid-request", {
    detail: `${issue.name}: ${issue.detail}`,
    issues: [{ in: "body", ...issue } as Issue],
  });

/** Returns the span for an event: without a lower bound if the request had none. */
export const toReadSpan = (
  run: Pick<ClaimedRun, "sinceTime">,
  objectName: string,
  until: Date | null,
): ReadSpan => ({ objectName, from: readLowerBound(run), until: until ?? undefined });

/** Returns the lower bound as the request had it: undefined if it had none. */
export const readLowerBound = ({ sinceTime }: Pick<ClaimedRun, "sinceTime">): Date | undefined =>
  sinceTime && sinceTime > BEGINNING ? sinceTime : undefined;
