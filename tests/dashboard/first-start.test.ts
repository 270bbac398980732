/** The first start of a fresh checkout builds the dashboard, and the second one finds it, as a person in a browser sees it. */
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { endChildBusbar, startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { launchBrowser, NO_CHROMIUM } from "../harness/chromium.ts";
import { openVisit, signIn } from "./open-dashboard.ts";

const ROOT = join(import.meta.dirname, "../..");

/** What Busbar and the build of the dashboard read of a checkout. */
const FOLDERS = [
  "cli",
  "connector-kit",
  "connectors",
  "dashboard",
  "destination-kit",
  "destinations",
  "ground",
  "manifest",
  "migrations",
  "sandbox",
  "server",
  "simulations",
];
const FILES = ["openapi.json", "package.json", "package-lock.json", "tsconfig.json"];
const DIST = join("dashboard", "dist");

describe("a fresh checkout", { skip: NO_CHROMIUM }, () => {
  let folder: string;
  let browser: Browser;
  let database: TestDatabase;
  let busbar: ChildBusbar | undefined;
  before(async () => {
    [folder, browser, database] = await Promise.all([checkOut(), launchBrowser(), createTestDatabase()]);
  });
  after(async () => {
    await browser.close();
    await endChildBusbar(busbar, folder);
    await database.drop();
  });
  const start = () => {
    const key = Buffer.alloc(32, 7).toString("base64");
    const env = { DATABASE_URL: database.connectionString, BUSBAR_ENCRYPTION_KEYS: `k1:${key}` };
    return startChildBusbar(join(folder, ".busbar"), env, { program: join(folder, "server", "busbar.mjs") });
  };

  test("without the packages that build it and without a build, the page says what to do, and the API answers", async () => {
    await install(folder, { omit: "dev" });
    busbar = await start();
    const visit = await openVisit({ browser, origin: busbar.origin });
    for (const path of ["/", "/projects/default/operations"]) {
      const answer = await visit.page.goto(busbar.origin + path);
      assert.equal(answer?.status(), 503, path);
      await visit.page.getByRole("heading", { name: "The dashboard is not built", level: 1 }).waitFor();
      await visit.page.getByText("npm run build", { exact: true }).waitFor();
    }
    await visit.page.getByRole("link", { name: "API reference" }).click();
    await visit.page
      .getByRole("heading", { name: /Busbar/ })
      .first()
      .waitFor();
    await visit.close();
    assert.equal((await busbar.call("GET", "/v1/projects/default")).status, 200);
    busbar.signal("SIGTERM");
    const { code, stdout } = await busbar.exited;
    assert.equal(code, 0);
    assert.match(stdout, /the dashboard is not built/);
  });

  test("the first start builds the dashboard while it serves, and the second builds nothing", async (scope) => {
    await install(folder);
    const dist = join(folder, DIST);
    busbar = await start();
    scope.diagnostic(`sign-in ${await signInMs(browser, busbar)} ms after "ready", with the build`);
    const built = await listVersions(dist);
    assert.ok(built.length > 10);
    busbar.signal("SIGTERM");
    assert.match((await busbar.exited).stdout, /the dashboard is built/);

    busbar = await start();
    scope.diagnostic(`sign-in ${await signInMs(browser, busbar)} ms after "ready", without`);
    assert.deepEqual(await listVersions(dist), built);
    busbar.signal("SIGTERM");
    assert.doesNotMatch((await busbar.exited).stdout, /the dashboard is built/);
  });
});

/** Copies the sources, so that neither a build nor data of this checkout is there. */
async function checkOut(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "busbar-fresh-"));
  const isSource = (path: string) => path !== join(ROOT, DIST);
  for (const name of [...FOLDERS, ...FILES])
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isSource });
  return folder;
}

/** Links the installed packages, as `npm ci` or `npm ci --omit=dev` would put them there. */
async function install(folder: string, { omit }: { omit?: "dev" } = {}): Promise<void> {
  const modules = join(folder, "node_modules");
  await rm(modules, { recursive: true, force: true });
  if (!omit) return symlink(join(ROOT, "node_modules"), modules);
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  for (const [path, { dev }] of Object.entries<Locked>(packages)) {
    const isOnTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path);
    if (!isOnTop || dev) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(ROOT, path), join(folder, path));
  }
}

interface Locked {
  dev?: boolean;
}

/** Signs in with the first key, and returns how long the page to do so took to come. */
async function signInMs(browser: Browser, { origin, file }: ChildBusbar): Promise<number> {
  const asked = performance.now();
  const visit = await openVisit({ browser, origin });
  await visit.page.goto(`${origin}/`);
  await visit.page.getByLabel("API key", { exact: true }).waitFor();
  const tookMs = Math.round(performance.now() - asked);
  await signIn(visit, file.apiKey);
  await visit.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await visit.close();
  return tookMs;
}

/** Returns the files of a folder with their times of change. */
async function listVersions(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const versions = names.map(async (name) => `${name} ${(await stat(join(folder, name))).mtimeMs}`);
  return (await Promise.all(versions)).toSorted();
}
