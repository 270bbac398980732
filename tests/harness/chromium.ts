/** The browser of the tests. */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

/** The shell without windows first: it is the same engine, and opens a page in half of the processor time. */
const PLACES = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
];
const executablePath = PLACES.find((path) => path !== undefined && existsSync(path));

/** Why tests in a browser are skipped, or false. */
export const NO_CHROMIUM = executablePath
  ? false
  : "no Chromium here: install chromium-headless-shell or chromium, or name it in CHROMIUM";

/** For a machine that has many times as much to do as it can; what is there sooner costs nothing of it. */
export const PAGE_TIMEOUT_MS = 180_000;

/** A page lives for seconds, in which its scripts save less than their optimisation takes: a tenth of the browser's time. */
const WITHOUT_OPTIMISATION = "--js-flags=--no-opt,--no-maglev";

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath && { executablePath }),
    args: ["--no-sandbox", WITHOUT_OPTIMISATION],
  });
