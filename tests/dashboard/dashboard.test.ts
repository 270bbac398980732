/** The dashboard in a real browser, against a real Busbar and sandbox: all suites share one of each. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { HAS_CHROMIUM, openDashboard, type Dashboard } from "./open-dashboard.ts";

/** A file of `suites/` exports its tests as a function of the dashboard, which is open when a test runs. */
export type Suite = (on: () => Dashboard) => void;

const files = globSync("*.ts", { cwd: join(import.meta.dirname, "suites") }).toSorted();
const suites = await Promise.all(
  files.map(async (file): Promise<[string, Suite]> => [
    file.replace(".ts", ""),
    (await import(`./suites/${file}`)).suite,
  ]),
);

describe("dashboard", { skip: HAS_CHROMIUM ? false : "no /usr/bin/chromium" }, () => {
  let open: Dashboard | undefined;
  before(async () => {
    open = await openDashboard();
  });
  after(() => open?.close());
  const on = () => {
    if (!open) throw new Error("the dashboard is not open");
    return open;
  };
  for (const [name, suite] of suites) describe(name, () => suite(on));
});
