/** Runs a drill by its name, `npm run drill -- NAME [options]`, and ends every drill in the same way. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const ENDING = "-drill.ts";

/** Prints the report and whether the drill passed, and exits with 1 if it has faults. */
export function endDrill(report: unknown, faults: readonly string[]): never {
  console.log(JSON.stringify(report, null, 2));
  console.log(faults.length === 0 ? "PASSED" : `FAILED: ${faults.join(" | ")}`);
  process.exit(faults.length === 0 ? 0 : 1);
}

/** Returns a fault with the number of what was found and an example; none if nothing was. */
export const describeFound = (what: string, found: readonly string[]): string[] =>
  found.length === 0 ? [] : [`${what}: ${found.length}, such as ${found[0]}`];

/** Returns the names of the drills, which are files of this folder. */
function listDrills(): string[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(ENDING) && file !== `run${ENDING}`)
    .map((file) => file.slice(0, -ENDING.length));
}

if (import.meta.main) {
  const [name = "", ...options] = process.argv.slice(2);
  if (listDrills().includes(name)) {
    const drill = spawn(process.execPath, [join(import.meta.dirname, name + ENDING), ...options], {
      stdio: "inherit",
    });
    const [code] = (await once(drill, "exit")) as [number | null];
    process.exitCode = code ?? 1;
  } else {
    console.error(`Name a drill: npm run drill -- NAME, with one of ${listDrills().join(", ")}`);
    process.exitCode = 2;
  }
}
