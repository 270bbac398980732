/** Which existing records are read when an object is added. */
import { useState, type JSX } from "react";
import { NativeSelect, NumberInput, Stack } from "@mantine/core";
import type { Backfill, Period } from "./configuration/config-content.ts";

interface InitialReadProps {
  backfill: Backfill | undefined;
  manifest: Period | undefined;
  error: string | undefined;
  onBackfill: (backfill: Backfill | undefined) => void;
}

/** Days that are proposed when somebody chooses a number of days. */
const PROPOSED_DAYS = 30;

export function InitialRead({ backfill, manifest, error, onBackfill }: InitialReadProps): JSX.Element {
  const period = backfill?.defaultPeriod;
  const set = (defaultPeriod: Period) => onBackfill({ ...backfill, defaultPeriod });
  const choose = (choice: string) => {
    if (choice === "none") set({ days: 0 });
    else if (choice === "all") set({ fullHistory: true });
    else if (choice === "days") set({ days: PROPOSED_DAYS });
    else onBackfill(withoutPeriod(backfill, manifest));
  };
  return (
    <Stack gap="xs">
      <NativeSelect
        label="Initial read"
        description="When the object is added."
        data={[
          { value: "manifest", label: `As the manifest: ${describePeriod(manifest)}` },
          { value: "none", label: "Nothing" },
          { value: "all", label: "All records" },
          { value: "days", label: "Records of the last days" },
        ]}
        value={chooseOption(period)}
        error={error}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {chooseOption(period) === "days" && (
        <Days first={period?.days ?? PROPOSED_DAYS} onDays={(days) => set({ days })} />
      )}
    </Stack>
  );
}

/** Keeps what is typed, an empty field for example, and passes on numbers of days. */
function Days({ first, onDays }: { first: number; onDays: (days: number) => void }): JSX.Element {
  const [typed, setTyped] = useState<number | string>(first);
  return (
    <NumberInput
      label="Days"
      min={1}
      allowDecimal={false}
      value={typed}
      onChange={(days) => {
        setTyped(days);
        if (Number(days) > 0) onDays(Number(days));
      }}
    />
  );
}

const chooseOption = (period: Period | undefined): "manifest" | "none" | "all" | "days" => {
  if (!period) return "manifest";
  if (period.fullHistory) return "all";
  return period.days ? "days" : "none";
};

const describePeriod = (period: Period | undefined): string =>
  period?.fullHistory ? "all records" : period?.days ? `the last ${period.days} days` : "nothing";

/** Returns the backfill with the manifest's period; it stays as long as it has other members, which need a period. */
function withoutPeriod(backfill: Backfill | undefined, manifest: Period | undefined): Backfill | undefined {
  const { defaultPeriod: _before, ...others } = backfill ?? { defaultPeriod: {} };
  return Object.keys(others).length > 0 ? { ...others, defaultPeriod: manifest ?? { days: 0 } } : undefined;
}
