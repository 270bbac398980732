/** Runs suites of the dashboard in a real browser, against a real Busbar and sandbox: those of a test file share one of each. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { signIn } from "../harness/people.ts";
import type { TestBusbar } from "../harness/busbar.ts";
import { NO_CHROMIUM } from "../harness/chromium.ts";
import { openDashboard, type Dashboard } from "./open-dashboard.ts";

/** A file of `suites/` exports its tests as a function of the dashboard, which is open when a test runs. */
export type Suite = (server: () => Dashboard) => void;

/** The suites of two of the test files; the third one runs all others. So the three take about as long. */
const PARTS = {
  pages: ["addresses", "budget", "empty-lists", "every-page", "people"],
  integrations: [
    "configuration",
    "deliveries",
    "deploy",
    "first-integration",
    "integrations",
    "keyboard-customers",
    "live",
    "notifications",
    "operations-and-customers",
    "playground",
    "providers",
    "reading",
    "subscriptions",
  ],
};

export async function runSuites(part: keyof typeof PARTS | "others"): Promise<void> {
  const elsewhere = Object.values(PARTS).flat();
  const names =
    part === "others" ? listSuiteNames().filter((name) => !elsewhere.includes(name)) : PARTS[part];
  const suites = await Promise.all(
    names.map(async (name): Promise<[string, Suite]> => [name, (await import(`./suites/${name}.ts`)).suite]),
  );
  describe(`dashboard: ${part}`, { skip: NO_CHROMIUM }, () => {
    let open: Dashboard | undefined;
    before(async () => {
      open = await openDashboard();
    });
    after(() => open?.close());
    const server = () => {
      if (!open) throw new Error("the dashboard is not open");
      return open;
    };
    for (const [name, suite] of suites) describe(name, () => suite(server));

    // After all suites, about everything that they did.
    test("every change that the pages made is in the audit with its actor and request, and no secret is", async () => {
      const { changes, busbar } = server();
      const events = await readAudit(busbar);
      const known = new Set(events.map(({ requestId }) => requestId));
      assert.deepEqual(
        [...changes].filter(([requestId]) => !known.has(requestId)),
        [],
      );
      assert.ok(events.every(({ actor }) => actor.kind === "system" || actor.id));
      assert.doesNotMatch(JSON.stringify(events), /bb_[\w-]{43}|whsec_|BEGIN|clientSecret":/);
    });
  });
}

const listSuiteNames = (): string[] =>
  globSync("*.ts", { cwd: join(import.meta.dirname, "suites") })
    .map((file) => file.replace(".ts", ""))
    .toSorted();

interface AuditEvent {
  requestId: string;
  actor: { kind: string; id?: string };
}

async function readAudit(busbar: TestBusbar): Promise<AuditEvent[]> {
  const headers = { ...(await signIn(busbar)), "x-api-key": "" };
  const path = `/v1/orgs/${busbar.server.bootstrap?.orgId}/audit-events?pageSize=200`;
  const events: AuditEvent[] = [];
  let next = "";
  do {
    const { body } = await busbar.call("GET", path + next, undefined, headers);
    events.push(...body.results);
    next = body.pagination.done ? "" : `&pageToken=${encodeURIComponent(body.pagination.nextPageToken)}`;
  } while (next !== "");
  return events;
}
