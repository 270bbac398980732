/** A section of the overview: one line for each thing that needs attention; absent if there is none. */
import type { JSX, ReactNode } from "react";
import { Text } from "@mantine/core";
import { ProblemView } from "../../frame/problem-view.tsx";
import { Section } from "../../ui/section.tsx";
import classes from "./attention.module.css";

/** More often than the graphs: what broke is named within half a minute. */
export const SOON = { everyMs: 10_000 };
const MAX_SHOWN = 8;

interface Line {
  key: string;
  status: ReactNode;
  words: ReactNode;
  more: ReactNode;
}

interface LinesProps {
  title: string;
  /** The call that the lines are of: without an answer its refusal is shown, because no lines would mean no trouble. */
  call: { data: unknown; error: Error | null; refetch: () => unknown };
  lines: Line[];
  /** There are more than the call answered. */
  isCut?: boolean;
  more?: ReactNode;
}

export function Lines({ title, call, lines, isCut = false, more }: LinesProps): JSX.Element | null {
  const error = call.data === undefined ? call.error : null;
  if (lines.length === 0 && !error) return null;
  return (
    <Section title={title} actions={more}>
      <ProblemView error={error} onRetry={() => void call.refetch()} />
      <ul className={classes["lines"]}>
        {lines.slice(0, MAX_SHOWN).map(({ key, status, words, more: aside }) => (
          <li key={key}>
            {status}
            <span className={classes["words"]}>{words}</span>
            <span className={classes["more"]}>{aside}</span>
          </li>
        ))}
      </ul>
      {lines.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed">
          And {lines.length - MAX_SHOWN} {isCut ? "or more" : "more"}.
        </Text>
      )}
    </Section>
  );
}
