/** Mutants that no check finds, with the reason of each. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "..", "..", "connectors", "surviving-mutants.json");

/** Returns the reasons by provider and mutant. */
export const readSurvivors = (): Record<string, Record<string, string>> =>
  JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Record<string, string>>;
