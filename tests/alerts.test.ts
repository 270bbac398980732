/** The alert rules and the Grafana board agree with the source of the metrics and with the guide; prometheus.test.ts runs them. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[];
}
interface Board {
  panels: { title: string; targets: { expr: string }[] }[];
}

const rules = (parse(read("deploy/alerts.yaml")) as Rules).groups.flatMap((group) => group.rules);
const board = JSON.parse(read("deploy/grafana-board.json")) as Board;
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

const sources = globSync("server/metrics/*.ts", { cwd: ROOT }).map(read).join("\n");

test("every label that an alert or a panel names is one of ours", () => {
  const labels = new Set(["le", "job", "instance"]);
  for (const [, list = ""] of sources.matchAll(/labelNames: \[([^\]]*)\]/g))
    for (const [, name = ""] of list.matchAll(/"(\w+)"/g)) labels.add(name);
  for (const expression of expressions) {
    for (const [, names = ""] of expression.matchAll(/by \(([^)]*)\)/g))
      for (const name of names.split(",")) assert.ok(labels.has(name.trim()), `${name} in ${expression}`);
    for (const [, name = ""] of expression.matchAll(/[{,](\w+)=/g))
      assert.ok(labels.has(name), `${name} in ${expression}`);
  }
});

test("names follow Prometheus' conventions, as promtool checks them: counters end with _total, and no other metric does", () => {
  const declared = [...sources.matchAll(/new (Counter|Gauge|Histogram)\(\{\s*name: "(\w+)"/g)];
  assert.ok(declared.length > 10);
  for (const [, kind, name = ""] of declared) assert.equal(name.endsWith("_total"), kind === "Counter", name);
});

test("a counter of which an alert watches one series reports it before the first event", () => {
  for (const { alert, expr } of rules) {
    for (const [, value = ""] of expr.matchAll(/_total\{\w+="(\w+)"\}/g)) {
      const started = [...sources.matchAll(/startAtZero\(\w+, \[([^\]]*)\]/g)].map(([, list]) => list).join();
      assert.ok(started.includes(`"${value}"`), `${alert}: ${value}`);
    }
  }
});

test("every metric of ours is on the board", () => {
  const shown = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n");
  const ours = [...sources.matchAll(/"(busbar_[a-z_]+)"/g)].map(([, name = ""]) => name);
  // Read pages say less than records; dropped lines have an alert.
  const elsewhere = ["busbar_read_pages_total", "busbar_proxy_usage_lines_dropped_total"];
  assert.deepEqual(
    ours.filter((name) => !shown.includes(name) && !elsewhere.includes(name)),
    [],
  );
});

test("the guide says for every alert what to do", () => {
  const guide = read("docs/guide/production.md");
  assert.deepEqual(
    rules.map(({ alert }) => alert).filter((alert) => !guide.includes(`\`${alert}\``)),
    [],
  );
});
