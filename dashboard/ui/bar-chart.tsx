/** Bars over time, good and failed, with an optional line; the same numbers are in a table for those who do not see it. */
/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- arrow keys read the bars */
import { useId, useState, type JSX, type KeyboardEvent } from "react";
import { Text } from "@mantine/core";
import classes from "./bar-chart.module.css";
import { durationWords, exactTime } from "./time-words.ts";

export interface Bar {
  /** Beginning of the bucket, a date-time. */
  time: string;
  /** All of the bucket; zero is a bucket without any. */
  count: number;
  failed: number;
  /** Value of the line, in milliseconds; undefined breaks it. */
  ms?: number;
}

export interface BarChartProps {
  /** Accessible name, as "Operations". */
  name: string;
  bars: readonly Bar[];
  /** Name of the line, as "p95". */
  lineName?: string;
  /** Opens the list of a bucket. */
  onOpen?: (bar: Bar) => void;
}

const WIDTH = 600;
const HEIGHT = 120;

export function BarChart({ name, bars, lineName, onOpen }: BarChartProps): JSX.Element {
  const [chosen, setChosen] = useState<number>();
  const about = useId();
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const mostMs = Math.max(1, ...bars.map(({ ms = 0 }) => ms));
  const step = WIDTH / Math.max(1, bars.length);
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const bar = chosen === undefined ? undefined : bars[chosen];
    if (move)
      setChosen(Math.min(bars.length - 1, Math.max(0, (chosen ?? (move > 0 ? -1 : bars.length)) + move)));
    else if (event.key === "Enter" && bar) onOpen?.(bar);
    else return;
    event.preventDefault();
  };
  const shown = chosen === undefined ? undefined : bars[chosen];
  return (
    <figure className={classes["chart"]}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: bars over time. Arrow keys read them.`}
        aria-describedby={about}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseLeave={() => setChosen(undefined)}
      >
        {bars.map((bar, index) => (
          <BarShape
            key={bar.time}
            bar={bar}
            at={index * step}
            width={step}
            most={most}
            isChosen={index === chosen}
            onChoose={() => setChosen(index)}
            onOpen={onOpen}
          />
        ))}
        {lineName && <path className={classes["line"]} d={pathOf(bars, step, mostMs)} />}
      </svg>
      <Text id={about} size="xs" c="dimmed" component="figcaption" aria-live="polite" mih={18}>
        {shown ? wordsOf(shown, lineName) : `${sum(bars, "count")} in all, ${sum(bars, "failed")} failed`}
      </Text>
      <details>
        <summary>As a table</summary>
        <BarTable name={name} bars={bars} lineName={lineName} />
      </details>
    </figure>
  );
}

interface BarShapeProps {
  bar: Bar;
  at: number;
  width: number;
  most: number;
  isChosen: boolean;
  onChoose: () => void;
  onOpen: BarChartProps["onOpen"];
}

function BarShape({ bar, at, width, most, isChosen, onChoose, onOpen }: BarShapeProps): JSX.Element {
  const high = (count: number) => (count / most) * (HEIGHT - 8);
  const place = { x: at + width * 0.12, width: width * 0.76 };
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the graph handles keys
    <g data-chosen={isChosen} onMouseEnter={onChoose} onClick={() => onOpen?.(bar)}>
      <rect className={classes["ground"]} x={at} y={0} width={width} height={HEIGHT} />
      <rect
        {...place}
        className={classes["good"]}
        y={HEIGHT - high(bar.count)}
        height={high(bar.count - bar.failed)}
      />
      <rect
        {...place}
        className={classes["failed"]}
        y={HEIGHT - high(bar.failed)}
        height={high(bar.failed)}
      />
    </g>
  );
}

const BarTable = ({ name, bars, lineName }: BarChartProps): JSX.Element => (
  <div className={classes["table"]} tabIndex={0} role="region" aria-label={`Numbers of ${name}`}>
    <table aria-label={`${name} over time`}>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">All</th>
          <th scope="col">Failed</th>
          {lineName && <th scope="col">{lineName}</th>}
        </tr>
      </thead>
      <tbody>
        {bars.map(({ time, count, failed, ms }) => (
          <tr key={time}>
            <td>{exactTime(time)}</td>
            <td>{count}</td>
            <td>{failed}</td>
            {lineName && <td>{ms === undefined ? "–" : durationWords(ms)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Zero is drawn; an unknown value breaks the line. */
function pathOf(bars: readonly Bar[], step: number, mostMs: number): string {
  return bars
    .map(({ ms }, index) => {
      if (ms === undefined) return "";
      const isFirst = bars[index - 1]?.ms === undefined;
      const y = HEIGHT - (ms / mostMs) * (HEIGHT - 8);
      return `${isFirst ? "M" : "L"}${((index + 0.5) * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}

const sum = (bars: readonly Bar[], member: "count" | "failed"): number =>
  bars.reduce((total, bar) => total + bar[member], 0);

const wordsOf = ({ time, count, failed, ms }: Bar, lineName: string | undefined): string =>
  `${exactTime(time)}: ${count} in all, ${failed} failed` +
  (lineName && ms !== undefined ? `, ${lineName} ${durationWords(ms)}` : "");
