/** When an object is read: as the manifest says, at a usual interval, by a cron expression, or only on request. */
import { useState, type JSX } from "react";
import { NativeSelect, TextInput } from "@mantine/core";

interface ScheduleChoiceProps {
  /** A cron expression, empty for none; undefined: as the manifest says. */
  schedule: string | undefined;
  manifest: string | undefined;
  error: string | undefined;
  onSchedule: (schedule: string | undefined) => void;
}

export function ScheduleChoice({ schedule, manifest, error, onSchedule }: ScheduleChoiceProps): JSX.Element {
  const isUsual = schedule === undefined || schedule === "" || USUAL.some(([cron]) => cron === schedule);
  const [isTyped, setIsTyped] = useState(!isUsual);
  const choose = (choice: string) => {
    setIsTyped(choice === "cron");
    if (choice === "cron") onSchedule(schedule || manifest || "0 * * * *");
    else if (choice === "manifest") onSchedule(undefined);
    else onSchedule(choice === "none" ? "" : choice);
  };
  return (
    <>
      <NativeSelect
        label="Schedule"
        description="When changes are read."
        data={[
          { value: "manifest", label: `As the manifest: ${lowerFirst(describeSchedule(manifest))}` },
          ...USUAL.map(([value, label]) => ({ value, label })),
          { value: "none", label: NONE },
          { value: "cron", label: "A cron expression" },
        ]}
        value={isTyped || !isUsual ? "cron" : chooseOption(schedule)}
        error={isTyped ? undefined : error}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {(isTyped || !isUsual) && (
        <TextInput
          label="Cron expression"
          description="Minute, hour, day, month, weekday (0 is Sunday), in UTC."
          value={schedule ?? ""}
          error={error}
          onChange={(event) => onSchedule(event.currentTarget.value)}
        />
      )}
    </>
  );
}

const chooseOption = (schedule: string | undefined): string =>
  schedule === undefined ? "manifest" : schedule === "" ? "none" : schedule;

const lowerFirst = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

/** The schedules that have words. */
const USUAL: readonly (readonly [cron: string, words: string])[] = [
  ["*/10 * * * *", "Every 10 minutes"],
  ["*/30 * * * *", "Every 30 minutes"],
  ["0 * * * *", "Every hour"],
  ["0 */6 * * *", "Every 6 hours"],
  ["0 6 * * *", "Every day at 06:00 UTC"],
  ["0 6 * * 1", "Every Monday at 06:00 UTC"],
];
const NONE = "Only on request";

/** Returns "Every hour", or the cron expression if there are no words for it. */
export const describeSchedule = (schedule: string | undefined): string =>
  schedule ? (USUAL.find(([cron]) => cron === schedule)?.[1] ?? schedule) : NONE;
