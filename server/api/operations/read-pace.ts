/** How fast records are read, and how long the rest takes. Pure. */

/** A read, as its operation has it. */
interface Progress {
  status: string;
  createTime: Date;
  updateTime: Date | null;
  records: number;
  total: number | undefined;
  /** How long it has waited before. */
  waitedMs: number;
  /** It waits now. */
  waits: boolean;
}

interface Pace {
  recordsPerSecond?: number;
  secondsLeft?: number;
}

/** Rounded to three digits; at least a second, so that the first page is no burst. */
export function computePace({
  status,
  createTime,
  updateTime,
  records,
  total,
  waitedMs,
  waits,
}: Progress): Pace {
  const isRunning = status === "in_progress";
  if (records === 0 || !updateTime || (isRunning && waits)) return {};
  const activeMs = updateTime.getTime() - createTime.getTime() - waitedMs;
  const recordsPerSecond = Number((records / Math.max(1, activeMs / 1_000)).toPrecision(3));
  if (!isRunning || total === undefined || recordsPerSecond === 0) return { recordsPerSecond };
  return { recordsPerSecond, secondsLeft: Math.ceil(Math.max(0, total - records) / recordsPerSecond) };
}
