/** A time as people say it, with the exact one on hover and focus. */
import { useEffect, useState, type JSX } from "react";
import { Tooltip } from "@mantine/core";
import { nowMs } from "./clock.ts";
import { describeAgo, formatExactTime } from "./time-words.ts";

const TICK_MS = 10_000;

/** One timer for all times of the page. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const tell of listeners) tell();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

interface TimeAgoProps {
  /** A date-time of the API; undefined shows `none`. */
  time: string | undefined;
  none?: string;
  /** If true, the exact time can be reached by keyboard. Not in tables, where it would be a stop in every row. */
  focusable?: boolean;
}

export function TimeAgo({ time, none = "never", focusable = false }: TimeAgoProps): JSX.Element {
  const [now, setNow] = useState(nowMs);
  useEffect(
    () =>
      subscribe(() =>
        // Nothing is drawn again while the words stay the same, as they do for most rows of a long list.
        setNow((before) => {
          const next = nowMs();
          return time && describeAgo(time, before) === describeAgo(time, next) ? before : next;
        }),
      ),
    [time],
  );
  if (!time) return <span className="soft">{none}</span>;
  return (
    <Tooltip label={formatExactTime(time)} events={{ hover: true, focus: true, touch: true }} withArrow>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the tooltip has the exact time */}
      <time dateTime={time} className="numbers" tabIndex={focusable ? 0 : undefined}>
        {describeAgo(time, now)}
      </time>
    </Tooltip>
  );
}
