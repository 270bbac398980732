/** The period of the graphs, which is stored in the page's address, and the control that changes it. */
import { useEffect, useState, type JSX } from "react";
import { SegmentedControl } from "@mantine/core";
import { nowMs } from "../../ui/clock.ts";
import { useFilters } from "./filters.ts";

export interface Period {
  since: string;
  until: string;
  bucketSeconds: number;
}

const USUAL = { name: "24h", hours: 24, bucketSeconds: 1_800 };
const WINDOWS = [
  { name: "1h", hours: 1, bucketSeconds: 60 },
  USUAL,
  { name: "7d", hours: 168, bucketSeconds: 10_800 },
  { name: "30d", hours: 720, bucketSeconds: 43_200 },
];

const TICK_MS = 15_000;

/** Returns the chosen period in whole buckets, so that the call stays the same until the next bucket begins. */
export function useWindow(): { period: Period; control: JSX.Element } {
  const [{ window: asked }, setValues] = useFilters("window");
  const { name: chosen, hours, bucketSeconds } = WINDOWS.find(({ name }) => name === asked) ?? USUAL;
  const [startMs, setStartMs] = useState(nowMs);
  useEffect(() => {
    const timer = setInterval(() => setStartMs(nowMs()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
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
      data={WINDOWS.map(({ name }) => ({ value: name, label: name.replace(/(?=[hd])/, " ") }))}
      value={chosen}
      onChange={(value) => void setValues({ window: value === USUAL.name ? undefined : value }, "step")}
      size="xs"
    />
  );
  return { period, control };
}
