/** The period of graphs, which is in the address, and the control that chooses it. */
import { useEffect, useState, type JSX } from "react";
import { SegmentedControl } from "@mantine/core";
import { nowMs } from "../ui/clock.ts";
import { useFilters } from "./filters.ts";

export interface Period {
  since: string;
  until: string;
  bucketSeconds: number;
}

const WINDOWS: Readonly<Record<string, { hours: number; bucketSeconds: number }>> = {
  "1h": { hours: 1, bucketSeconds: 60 },
  "24h": { hours: 24, bucketSeconds: 1_800 },
  "7d": { hours: 168, bucketSeconds: 10_800 },
  "30d": { hours: 720, bucketSeconds: 43_200 },
};
const USUAL = "24h";

const TICK_MS = 15_000;

/** Returns the chosen period in whole buckets, so that the call stays the same until the next bucket begins. */
export function useWindow(): { period: Period; control: JSX.Element } {
  const [{ window: asked = USUAL }, setValues] = useFilters("window");
  const chosen = WINDOWS[asked] ? asked : USUAL;
  const [startMs, setStartMs] = useState(nowMs);
  useEffect(() => {
    const timer = setInterval(() => setStartMs(nowMs()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const { hours, bucketSeconds } = WINDOWS[chosen] ?? { hours: 24, bucketSeconds: 1_800 };
  const bucketMs = bucketSeconds * 1_000;
  const endMs = (Math.floor(startMs / bucketMs) + 1) * bucketMs;
  const period = {
    since: new Date(endMs - hours * 3_600_000).toISOString(),
    until: new Date(endMs).toISOString(),
    bucketSeconds,
  };
  const control = (
    <SegmentedControl
      aria-label="Window"
      data={Object.keys(WINDOWS).map((value) => ({ value, label: value.replace(/(?=[hd])/, " ") }))}
      value={chosen}
      onChange={(value) => setValues({ window: value === USUAL ? undefined : value })}
      size="xs"
    />
  );
  return { period, control };
}
