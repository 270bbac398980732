/** Finds the built dashboard, or builds it once in the background while the listeners already serve. */
import { access, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { elapsedMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import { buildDashboard, findBundler, readBuild, type Build } from "./build-dashboard.ts";
import { PROJECT_ROOT } from "../../ground/project-root.ts";
import { computeDashboardDigest } from "./dashboard-digest.ts";

export type DashboardState =
  | { kind: "ready"; folder: string; build: Build }
  | { kind: "building" }
  /** Development packages are not installed, and there is no current build. */
  | { kind: "missing" }
  | { kind: "failed"; reason: string };

export interface BuiltDashboard {
  state(): DashboardState;
  /** Resolves when the state is final. */
  settled: Promise<void>;
  /** Ends a build in progress. */
  close(): Promise<void>;
}

interface DashboardOptions {
  dataDir: string;
  log: Log;
  /** If false, another process builds, and this one waits for it. */
  builds?: boolean;
}

/** With `--processes`, children look for the parent's build this often and this many times. */
const CHECK_MS = 250;
const MAX_CHECKS = 240;

export function openBuiltDashboard({ dataDir, log, builds = true }: DashboardOptions): BuiltDashboard {
  let state: DashboardState = { kind: "building" };
  const closing = new AbortController();
  const settle = async () => {
    const digest = await computeDashboardDigest();
    const found = await findBuild(dataDir, digest);
    if (found) return found;
    if (digest === undefined) return { kind: "missing" as const };
    if (builds) return build({ dataDir, log, digest, signal: closing.signal });
    return (await waitForBuild(dataDir, digest, closing.signal)) ?? { kind: "missing" as const };
  };
  const settled = settle().then(
    (found) => void (state = found),
    (error: unknown) => {
      if (closing.signal.aborted) return;
      state = { kind: "failed", reason: String(error) };
      log.error({ err: error }, "the dashboard could not be built; the API is not affected");
    },
  );
  return {
    state: () => state,
    settled,
    async close() {
      closing.abort();
      await settled;
    },
  };
}

/** Beside the sources, or in the data folder where the code is read-only. */
const listFolders = (dataDir: string): string[] => [
  join(PROJECT_ROOT, "dashboard", "dist"),
  join(dataDir, "dashboard"),
];

/** Returns whether there is a current build, or whether one can be made here. */
export async function findDashboard(dataDir: string): Promise<"built" | "buildable" | "missing"> {
  const digest = await computeDashboardDigest();
  if (await findBuild(dataDir, digest)) return "built";
  return digest !== undefined && findBundler() ? "buildable" : "missing";
}

/** Without a digest, any build is current: a package contains the one of its version. */
async function findBuild(dataDir: string, digest: string | undefined): Promise<DashboardState | undefined> {
  for (const folder of digest === undefined ? listFolders(dataDir).slice(0, 1) : listFolders(dataDir)) {
    const existing = await readBuild(folder);
    if (existing && (digest === undefined || existing.digest === digest))
      return { kind: "ready", folder, build: existing };
  }
  return undefined;
}

async function build(options: {
  dataDir: string;
  log: Log;
  digest: string;
  signal: AbortSignal;
}): Promise<DashboardState> {
  const { log, digest, signal } = options;
  const bundler = findBundler();
  if (!bundler) {
    log.warn("the dashboard is not built, and its packages are not installed; build it with: npm run build");
    return { kind: "missing" };
  }
  const folder = await chooseWritableFolder(options.dataDir);
  const started = elapsedMs();
  const made = await buildDashboard(bundler, { folder, digest, signal });
  log.info({ durationMs: Math.round(elapsedMs() - started) }, "the dashboard is built");
  return { kind: "ready", folder, build: made };
}

async function chooseWritableFolder(dataDir: string): Promise<string> {
  const [beside = "", inData = ""] = listFolders(dataDir);
  try {
    await mkdir(beside, { recursive: true });
    await access(beside, constants.W_OK);
    return beside;
  } catch {
    await mkdir(inData, { recursive: true });
    return inData;
  }
}

async function waitForBuild(
  dataDir: string,
  digest: string,
  signal: AbortSignal,
): Promise<DashboardState | undefined> {
  for (let checks = 0; checks < MAX_CHECKS && !signal.aborted; checks += 1) {
    const found = await findBuild(dataDir, digest);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
  return undefined;
}
