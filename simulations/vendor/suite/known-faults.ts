/** Faults of declarative connectors that the facts reveal and that are not mended yet. The list may only become shorter. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckResult } from "./bench.ts";

const FILE = join(import.meta.dirname, "..", "..", "..", "connectors", "known-faults.json");

/** Reads the known faults: provider, object and check in one text. */
export const readKnownFaults = (): string[] => JSON.parse(readFileSync(FILE, "utf8")) as string[];

export const writeKnownFaults = (faults: string[]): void =>
  writeFileSync(FILE, `${JSON.stringify(faults.toSorted(), null, 2)}\n`);

/** Builds the name of a fault in the list. */
export const buildFaultName = (provider: string, { objectName, check }: CheckResult): string =>
  `${provider} ${objectName}: ${check}`;
