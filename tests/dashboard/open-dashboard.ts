/** One Busbar with data, one browser, and signed-in pages, for all tests of the dashboard. */
import assert from "node:assert/strict";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { launchBrowser, PAGE_TIMEOUT_MS } from "../harness/chromium.ts";
import { fillProject } from "./fill-project.ts";

interface View {
  scheme?: "light" | "dark";
  width?: number;
  height?: number;
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Opens an address and waits until its first answers are drawn. */
  open(path: string): Promise<void>;
  /** Goes to another page as a link does, in a fifth of the browser's time; the page before must have another component. */
  follow(path: string): Promise<void>;
  /** Waits until the page has drawn its first answers. */
  drawn(): Promise<void>;
  /** Fails if the policy was violated, the console had an error, or another origin was called. */
  assertUntroubled(): void;
  /** Forgets what has troubled the page so far, for tests that provoke a refusal. */
  forgive(): void;
  close(): Promise<void>;
  /** Closes the page, after the check of `assertUntroubled`. */
  closeUntroubled(): Promise<void>;
}

export interface Dashboard {
  busbar: TestBusbar;
  browser: Browser;
  origin: string;
  /** The request ids of all changes that pages have made so far, with what was called. */
  changes: ReadonlyMap<string, string>;
  /** A signed-in browser profile with nothing of earlier visits but the files of the dashboard. */
  visit(view?: View): Promise<Visit>;
  /** A new browser profile, signed out. */
  visitSignedOut(view?: View): Promise<Visit>;
  close(): Promise<void>;
}

/** A provider with limits that none of the catalog has: no proxy, and backfills of the full history or of at most 28 days. */
const BOUNDED_CALENDAR = {
  displayName: "Bounded Calendar",
  authType: "apiKey",
  baseURL: "https://calendar.example",
  apiKeyOpts: { attachmentType: "header", header: { name: "X-Key" } },
  support: { read: true },
  features: { backfill: { fullHistoryOnly: true, mostDays: { events: 28 } } },
};

export async function openDashboard(): Promise<Dashboard> {
  // One retry soon after the first attempt: what a receiver refuses has failed for good at once.
  const env = {
    BUSBAR_DASHBOARD: "true",
    BUSBAR_WEBHOOK_RETRY_SECONDS: "0.2",
    // So that a test can come from another address.
    BUSBAR_TRUSTED_PROXIES: "127.0.0.1",
  };
  const server = await openTestBusbar({ env, providers: { boundedCalendar: BOUNDED_CALENDAR } });
  const origin = new URL(server.server.urls.base).origin;
  const [browser] = await Promise.all([launchBrowser(), fillProject(server), untilBuilt(origin)]);
  const changes = new Map<string, string>();
  const visitSignedOut = (view?: View) => openVisit({ browser, origin, changes }, view);
  const profiles = keepProfiles(async () => {
    const visit = await visitSignedOut();
    await signIn(visit, server.apiKey);
    const state = await visit.context.storageState();
    await visit.close();
    return state;
  });
  return {
    busbar: server,
    browser,
    origin,
    changes,
    visitSignedOut,
    visit: (view) => profiles.open({ browser, origin, changes }, view),
    async close() {
      await browser.close();
      await server.stop();
    },
  };
}

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

/**
 * Keeps browser profiles for the next visit, each with its page, made as good as new. One that has the dashboard's files in
 * its cache opens its first page in half of the processor time, and a page that is new takes a process of the browser.
 */
function keepProfiles(makeState: () => Promise<State>) {
  const free: Page[] = [];
  let made: State | undefined;
  return {
    async open(shared: Shared, view: View = {}): Promise<Visit> {
      const state = (made ??= await makeState());
      const page = free.pop() ?? (await (await openProfile(shared.browser, state)).newPage());
      const visit = await openPage(page, shared, view);
      return {
        ...visit,
        async close() {
          if (await restore(visit, shared.origin, state)) free.push(page);
          else await visit.context.close();
        },
      };
    },
  };
}

/** Makes the profile of a visit that ends as good as new. Returns false if it cannot, because its page is elsewhere. */
async function restore(
  { page, context }: Visit,
  origin: string,
  { cookies, origins }: State,
): Promise<boolean> {
  if (page.isClosed() || new URL(page.url()).origin !== origin) return false;
  const items = origins.find((one) => one.origin === origin)?.localStorage ?? [];
  await Promise.all(context.pages().map((one) => one !== page && one.close()));
  page.removeAllListeners();
  // Over what the next page shows, the mouse would hover.
  await page.mouse.move(-1, -1);
  // Playwright's own way, `setStorageState`, opens a page, which takes as much as is saved.
  await page.evaluate(`localStorage.clear();
    sessionStorage.clear();
    for (const { name, value } of ${JSON.stringify(items)}) localStorage.setItem(name, value);`);
  await page.goto(`${origin}/readyz`);
  await context.clearCookies();
  await Promise.all([
    context.addCookies(cookies),
    context.clearPermissions(),
    context.setExtraHTTPHeaders({}),
    context.setOffline(false),
  ]);
  return true;
}

/** Signs in as a person does, and waits for the page that follows. */
export async function signIn({ page, open, drawn }: Visit, apiKey: string): Promise<void> {
  if (!page.url().includes("/sign-in")) await open("/sign-in");
  await page.getByLabel("API key", { exact: true }).fill(apiKey);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  await drawn();
}

/** Waits until the build of the dashboard is there. */
export async function untilBuilt(origin: string): Promise<void> {
  const answer = await fetch(`${origin}/`, { headers: { accept: "text/html" } });
  await answer.arrayBuffer();
  if (answer.status === 200) return;
  assert.equal(answer.status, 503);
  await new Promise((resolve) => setTimeout(resolve, 100));
  return untilBuilt(origin);
}

interface Shared {
  browser: Browser;
  origin: string;
  changes?: Map<string, string>;
}

/** Opens a new browser profile on a running Busbar. */
export async function openVisit(shared: Shared, view: View = {}): Promise<Visit> {
  const profile = await openProfile(shared.browser);
  return openPage(await profile.newPage(), shared, view);
}

async function openProfile(browser: Browser, storageState?: State): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: "reduce", storageState });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  return context;
}

/** On a busy machine the database may not answer in time, and the page asks again. What it shows meanwhile has tests of its own. */
const IS_BUSY = /^Failed to load resource: the server responded with a status of 503 /;

async function openPage(
  page: Page,
  { origin, changes }: Shared,
  { scheme = "light", width = 1_280, height = 800 }: View,
): Promise<Visit> {
  const context = page.context();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !IS_BUSY.test(message.text()))
      troubles.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => troubles.push(`error: ${String(error)}`));
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol) && asked !== origin) troubles.push(`foreign: ${request.url()}`);
  });
  page.on("response", (response) => {
    const { method, path, isChange } = buildChange(response.request(), origin);
    const requestId = response.headers()["x-request-id"];
    if (isChange && response.ok() && requestId) changes?.set(requestId, `${method} ${path}`);
  });
  // In one condition: before the script runs, there is neither a busy page nor a heading.
  const drawn = () => page.locator("main:not([aria-busy=true]) h1").waitFor();
  const assertUntroubled = () => assert.deepEqual(troubles, []);
  return {
    page,
    context,
    drawn,
    async open(path) {
      await page.goto(origin + path);
      await drawn();
    },
    async follow(path) {
      await page.evaluate(`document.querySelector("h1").dataset.left = "";
        history.pushState({}, "", ${JSON.stringify(path)})`);
      // The router shows the page before until the next one is loaded.
      await page.locator("main:not([aria-busy=true]) h1:not([data-left])").waitFor();
    },
    assertUntroubled,
    forgive: () => void troubles.splice(0),
    close: () => context.close(),
    async closeUntroubled() {
      assertUntroubled();
      await context.close();
    },
  };
}

/** Sessions are people's own business, and calls with records are listed as operations. */
const NO_CHANGE = /^\/(write|search|read|callbacks)\/|^\/v1\/sessions/;

function buildChange(request: Request, origin: string): { method: string; path: string; isChange: boolean } {
  const { origin: asked, pathname: path, searchParams } = new URL(request.url());
  const isTrial = searchParams.get("dryRun") === "true" || /"dryRun":true/.test(request.postData() ?? "");
  const method = request.method();
  return {
    method,
    path,
    isChange: asked === origin && method !== "GET" && !isTrial && !NO_CHANGE.test(path),
  };
}
