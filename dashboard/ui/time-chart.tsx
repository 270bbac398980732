/** Counts over time as stacked bars, and durations as lines below; the same numbers are in a table for those who do not see it. */
/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- arrow keys read the bars */
import { useId, useState, type JSX, type KeyboardEvent } from "react";
import { Text } from "@mantine/core";
import {
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import classes from "./time-chart.module.css";
import { formatDuration, formatMinute, formatTick } from "./time-words.ts";

interface Bucket {
  /** Beginning of the bucket, a date-time. */
  time: string;
  /** All of the bucket; zero is a bucket without any. */
  count: number;
  failed: number;
  /** Durations in milliseconds; undefined breaks the lines. */
  p50Ms?: number;
  p95Ms?: number;
}

interface TimeChartProps {
  /** Accessible name, as "Operations". */
  name: string;
  buckets: readonly Bucket[];
  bucketSeconds: number;
  /** Opens the list of a bucket. */
  onOpen?: (bucket: Bucket) => void;
}

const AXIS = {
  tickLine: false,
  axisLine: false,
  fontSize: 11,
  stroke: "var(--mantine-color-dimmed)",
} as const;
const WIDTH_OF_NUMBERS = 52;

export function TimeChart({ name, buckets, bucketSeconds, onOpen }: TimeChartProps): JSX.Element {
  const [chosen, setChosen] = useState<number>();
  const about = useId();
  const shown = chosen === undefined ? undefined : buckets[chosen];
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move)
      setChosen(
        Math.min(buckets.length - 1, Math.max(0, (chosen ?? (move > 0 ? -1 : buckets.length)) + move)),
      );
    else if (event.key === "Enter" && shown) onOpen?.(shown);
    else return;
    event.preventDefault();
  };
  return (
    <figure className={classes["chart"]}>
      <div
        role="img"
        aria-label={`${name}: bars over time. Arrow keys read them.`}
        aria-describedby={about}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseLeave={() => setChosen(undefined)}
      >
        <Counts {...{ name, buckets, bucketSeconds, shown, onOpen }} />
        {buckets.some(({ p95Ms }) => p95Ms !== undefined) && (
          <Durations {...{ name, buckets, bucketSeconds, shown }} />
        )}
      </div>
      <Text id={about} size="xs" c="dimmed" component="figcaption" aria-live="polite" mih={18}>
        {shown ? describeBucket(shown) : describeAll(buckets, bucketSeconds)}
      </Text>
      <details>
        <summary>As a table</summary>
        <BucketTable name={name} buckets={buckets} />
      </details>
    </figure>
  );
}

interface PlotProps extends TimeChartProps {
  shown: Bucket | undefined;
}

const Counts = ({ name, buckets, bucketSeconds, shown, onOpen }: PlotProps): JSX.Element => (
  <ResponsiveContainer width="100%" height={130}>
    <BarChart
      data={[...buckets]}
      syncId={name}
      accessibilityLayer={false}
      margin={{ top: 6, right: 4, bottom: 0, left: 0 }}
      onClick={({ activeTooltipIndex }) => {
        const bucket = buckets[Number(activeTooltipIndex)];
        if (bucket) onOpen?.(bucket);
      }}
    >
      {renderAxes(bucketSeconds * buckets.length, formatShortNumber)}
      <Tooltip content={Hint} isAnimationActive={false} cursor={{ fill: "var(--busbar-hover)" }} />
      {shown && <ReferenceLine x={shown.time} stroke="var(--busbar-field)" />}
      <Bar
        dataKey={countSucceeded}
        name="succeeded"
        stackId="all"
        fill="var(--busbar-busy)"
        isAnimationActive={false}
      />
      <Bar dataKey="failed" stackId="all" fill="var(--busbar-bad)" isAnimationActive={false} />
    </BarChart>
  </ResponsiveContainer>
);

const Durations = ({ name, buckets, bucketSeconds, shown }: PlotProps): JSX.Element => (
  <ResponsiveContainer width="100%" height={80}>
    <LineChart
      data={[...buckets]}
      syncId={name}
      accessibilityLayer={false}
      margin={{ top: 6, right: 4, bottom: 0, left: 0 }}
    >
      {renderAxes(bucketSeconds * buckets.length, formatDuration)}
      {/* The hint of the bars has these numbers, too. */}
      <Tooltip content={() => null} isAnimationActive={false} />
      {shown && <ReferenceLine x={shown.time} stroke="var(--busbar-field)" />}
      <Line
        dataKey="p50Ms"
        stroke="var(--busbar-busy)"
        dot={drawLone(buckets, "p50Ms")}
        isAnimationActive={false}
      />
      <Line
        dataKey="p95Ms"
        stroke="var(--busbar-warn)"
        dot={drawLone(buckets, "p95Ms")}
        isAnimationActive={false}
      />
    </LineChart>
  </ResponsiveContainer>
);

/** Draws a point where no line does: both its neighbours are missing. */
const drawLone =
  (buckets: readonly Bucket[], member: "p50Ms" | "p95Ms") =>
  ({ cx, cy, index, stroke }: DotProps): JSX.Element => {
    const isLone = [index - 1, index + 1].every((near) => buckets[near]?.[member] === undefined);
    const isThere = buckets[index]?.[member] !== undefined && cx !== undefined && cy !== undefined;
    return isLone && isThere ? <circle key={index} cx={cx} cy={cy} r={2} fill={stroke} /> : <g key={index} />;
  };

interface DotProps {
  cx?: number;
  cy?: number;
  index: number;
  stroke?: string;
}

const renderAxes = (seconds: number, format: (value: number) => string): JSX.Element => (
  <>
    <CartesianGrid vertical={false} stroke="var(--busbar-line)" />
    <XAxis
      dataKey="time"
      {...AXIS}
      height={18}
      minTickGap={40}
      tickFormatter={(time: string) => formatTick(time, seconds)}
    />
    <YAxis
      {...AXIS}
      width={WIDTH_OF_NUMBERS}
      allowDecimals={false}
      tickCount={4}
      tickFormatter={(value: number) => format(value).replaceAll(" ", "\u00A0")}
    />
  </>
);

/** The numbers of the bucket under the pointer. */
function Hint({
  active,
  payload,
}: {
  active?: boolean;
  payload?: readonly { payload?: Bucket }[];
}): JSX.Element | null {
  const bucket = payload?.[0]?.payload;
  if (!active || !bucket) return null;
  return <div className={classes["hint"]}>{describeBucket(bucket)}</div>;
}

const BucketTable = ({ name, buckets }: Pick<TimeChartProps, "name" | "buckets">): JSX.Element => (
  <div className={classes["table"]} tabIndex={0} role="region" aria-label={`Numbers of ${name}`}>
    <table aria-label={`${name} over time`}>
      <thead>
        <tr>
          {["Time", "All", "Failed", "p50", "p95"].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ time, count, failed, p50Ms, p95Ms }) => (
          <tr key={time}>
            <td>{formatMinute(time)}</td>
            <td>{count}</td>
            <td>{failed}</td>
            <td>{p50Ms === undefined ? "–" : formatDuration(p50Ms)}</td>
            <td>{p95Ms === undefined ? "–" : formatDuration(p95Ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const countSucceeded = ({ count, failed }: Bucket): number => count - failed;

const formatShortNumber = (value: number): string =>
  new Intl.NumberFormat(undefined, { notation: "compact" }).format(value);

const sum = (buckets: readonly Bucket[], member: "count" | "failed"): number =>
  buckets.reduce((total, bucket) => total + bucket[member], 0);

function describeBucket({ time, count, failed, p50Ms, p95Ms }: Bucket): string {
  const durations =
    p50Ms === undefined || p95Ms === undefined
      ? ""
      : `, p50 ${formatDuration(p50Ms)}, p95 ${formatDuration(p95Ms)}`;
  return `${formatMinute(time)}: ${count} in all, ${failed} failed${share(failed, count)}${durations}`;
}

function describeAll(buckets: readonly Bucket[], bucketSeconds: number): string {
  const [count, failed] = [sum(buckets, "count"), sum(buckets, "failed")];
  const perHour = (count * 3_600) / Math.max(1, bucketSeconds * buckets.length);
  const rate = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 }).format(perHour);
  return `${count} in all, ${failed} failed${share(failed, count)}, ${rate} per hour`;
}

const share = (failed: number, count: number): string =>
  failed === 0 ? "" : ` (${((100 * failed) / count).toFixed(1)} %)`;
