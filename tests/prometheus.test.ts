/** The shipped alert rules and board against Prometheus' own promtool, and against what a running Busbar exposes. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { parse } from "yaml";
import { ALERT_CASES, type AlertCase } from "./alert-cases.ts";
import { shareTestBusbar } from "./harness/busbar.ts";
import { connectCustomer } from "./harness/connect-customer.ts";
import { noPromtool, runPromtool } from "./harness/promtool.ts";

const DEPLOY = join(import.meta.dirname, "../deploy");
const RULES = join(DEPLOY, "alerts.yaml");

interface Rule {
  alert: string;
  expr: string;
  labels: Record<string, string>;
}

const rules: Rule[] = parse(await readFile(RULES, "utf8")).groups.flatMap(
  ({ rules: some }: { rules: Rule[] }) => some,
);

const busbar = await shareTestBusbar({ env: { BUSBAR_METRICS: "true" } });

describe("what a running Busbar exposes", () => {
  let exposed = "";
  before(async () => {
    const customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
    await customer.proxied("/crm/v3/objects/contacts");
    exposed = await (await fetch(new URL("/metrics", busbar.server.urls.base))).text();
  });

  test("has every metric that an alert or a panel asks for, with the values of labels that it names", async () => {
    const board = JSON.parse(await readFile(join(DEPLOY, "grafana-board.json"), "utf8"));
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...board.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
        targets.map(({ expr }) => expr),
      ),
    ];
    const types = new Map(
      [...exposed.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
    );
    assert.ok(types.size > 30, exposed);
    for (const expression of expressions) {
      for (const [, whole = "", matchers = ""] of expression.matchAll(
        /\b((?:busbar|nodejs|process)_\w+)(?:\{([^}]*)\})?/g,
      )) {
        const histogram = whole.replace(/_(bucket|count|sum)$/, "");
        const type = types.get(whole) ?? (types.get(histogram) === "histogram" ? "histogram" : undefined);
        assert.ok(type ?? WITH_TWO_DATABASES.has(whole), `${whole} in ${expression}`);
        const line = exposed.split("\n").find((one) => one.startsWith(`${whole}{`) && one.includes(matchers));
        assert.ok(matchers === "" || line !== undefined, `${whole}{${matchers}} in ${expression}`);
      }
    }
  });

  test("can be told to be slower than the alert about slow calls allows", () => {
    const bounds = [...exposed.matchAll(/^busbar_proxy_call_duration_seconds_bucket\{le="([\d.]+)"/gm)].map(
      ([, le]) => Number(le),
    );
    const [, limit] =
      /> (\d+)$/.exec(rules.find(({ alert }) => alert === "BusbarProxySlow")?.expr ?? "") ?? [];
    // The quantile of calls beyond the last bound is that bound.
    assert.ok(Math.max(...bounds) > Number(limit), bounds.join());
  });

  test("is in the form and under names that promtool approves", { skip: noPromtool }, async () => {
    const { printed } = await runPromtool(["check", "metrics"], exposed);
    // Names of the runtime's own metrics are those of the library.
    const ours = printed.split("\n").filter((line) => line !== "" && !/^(nodejs|process)_/.test(line));
    assert.deepEqual(ours, []);
  });
});

/** Reported only where there are two databases. */
const WITH_TWO_DATABASES = new Set(["busbar_copies_complete"]);

describe("the alert rules", { skip: noPromtool }, () => {
  test("are loaded by Prometheus", async () => {
    const { code, printed } = await runPromtool(["check", "rules", RULES]);
    assert.equal(code, 0, printed);
    assert.match(printed, new RegExp(`SUCCESS: ${rules.length} rules found`));
  });

  test("fire with the words that the shift reads, not before their time, and not while all is well", async (t) => {
    assert.deepEqual(Object.keys(ALERT_CASES).toSorted(), rules.map(({ alert }) => alert).toSorted());
    const folder = await mkdtemp(join(tmpdir(), "busbar-alerts-"));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, "cases.yaml");
    const groups = Object.entries(ALERT_CASES).flatMap(([alert, one]) => writeCases(alert, one));
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests: groups }));
    const { code, printed } = await runPromtool(["test", "rules", file]);
    assert.equal(code, 0, printed);
  });
});

function writeCases(
  alertname: string,
  { series, quiet, pending, fires, labels = {}, summary }: AlertCase,
): object[] {
  const severity = rules.find(({ alert }) => alert === alertname)?.labels["severity"];
  const toInput = (some: Record<string, string>) =>
    Object.entries(some).map(([name, values]) => ({ series: name, values }));
  const fired = { exp_labels: { severity, ...labels }, exp_annotations: { summary } };
  return [
    {
      interval: "1m",
      input_series: toInput(series),
      alert_rule_test: [
        ...(pending ? [{ eval_time: pending, alertname, exp_alerts: [] }] : []),
        { eval_time: fires, alertname, exp_alerts: [fired] },
      ],
    },
    {
      interval: "1m",
      input_series: toInput(quiet),
      alert_rule_test: ["30m", "2h"].map((eval_time) => ({ eval_time, alertname, exp_alerts: [] })),
    },
  ];
}
