/** Job 7, changing a manifest: findings while typing, the comparison, the deployment, and the way back. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { strToU8, zipSync } from "fflate";
import { until } from "../../harness/until.ts";
import type { Suite } from "../dashboard.test.ts";
import type { Visit } from "../open-dashboard.ts";

const ROOT = join(import.meta.dirname, "../../..");

const FIRST = `# Who asks for changes: the team of sales.
specVersion: 1.0.0
integrations:
  - name: sales
    provider: hubspot
    write:
      objects:
        - objectName: contacts # customers' people
`;
const SECOND = `${FIRST.replace(/^#.*\n/, "")}        - objectName: companies
`;

/** Manifests with many faults each, so that every rule has something to say. */
const FAULTY = [
  "specVersion: [1.0.0\nintegrations: }",
  `specVersion: 2.0.0
integrations:
  - name: with space
    provider: hubspott
    colour: red
    read:
      objects:
        - objectName: contacts
          schedule: "* * * * *"
          destination: nowhere
        - objectName: contacts
          destination: my-app
          schedule: every day
          backfill: {defaultPeriod: {days: 3, fullHistory: true}}
    write: {objects: [{objectName: contacts}, {objectName: contacts}]}
  - name: with space
    provider: hubspot
    name: again
`,
  `specVersion: 1.0.0
integrations:
  - name: sub
    provider: hubspot
    module: nothing
    subscribe:
      objects:
        - objectName: contacts
          destination: my-app
          updateEvent: {enabled: never}
  - name: empty
    provider: stripe
  - name: asana
    provider: asana
    read: {objects: [{objectName: tasks, destination: my-app, schedule: "*/15 * * * *"}]}
    proxy: {enabled: yes}
`,
  `specVersion: 1.0.0
integrations:
  - name: wide
    displayName: ${"w".repeat(101)}
    provider: salesforce
    read:
      objects:
        - objectName: account
          destination: my-app
          enabled: always
          delivery: { mode: onRequest }
        - objectName: contact
          destination: my-app
          optionalFieldsAuto: most
          requiredFields: [{ fieldName: "$['a'" }]
        - destination: my-app
    subscribe:
      objects:
        - { objectName: account, destination: my-app, inheritFieldsAndMapping: true, updateEvent: { enabled: always, requiredWatchFields: ["$['a']['b']"] } }
        - { objectName: account, destination: my-app, createEvent: { enabled: always } }
        - { objectName: lead, destination: my-app, inheritFieldsAndMapping: true, createEvent: { enabled: always } }
        - { objectName: a1, destination: my-app }
        - { objectName: a2, destination: my-app }
        - { objectName: a3, destination: my-app }
  - name: incapable
    provider: aWeber
    read: { objects: [{ objectName: lists, destination: my-app }] }
    write: { objects: [{ objectName: lists }] }
    subscribe: { objects: [{ objectName: lists, destination: my-app, createEvent: { enabled: always } }] }
  - { name: bare, provider: hubspot, read: { objects: [] }, write: { objects: [] }, subscribe: { objects: [] } }
`,
  `specVersion: 1.0.0
integrations:
  - name: risky
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: my-app
          backfill: { defaultPeriod: { fullHistory: true } }
    subscribe:
      objects: [{ objectName: contacts, destination: my-app, inheritFieldsAndMapping: true }]
    proxy: {}
  - name: tasks
    provider: asana
    colour: red
    read: { objects: [{ objectName: tasks, destination: nowhere }] }
`,
];

/** Rules about providers and settings that this Busbar does not have, and about the size of a file. */
const NEVER_TOLD = [
  "provider-capability-proxy",
  "google-calendar-backfill",
  "snowflake-backfill",
  "destination-exists",
  "frequent-schedule-risk",
  "manifest-size",
  "too-many-findings",
];

export const suite: Suite = (on) => {
  const typeManifest = async ({ page }: Visit, text: string) => {
    await page.getByRole("textbox", { name: "Manifest" }).fill(text);
  };
  const findings = ({ page }: Visit) =>
    page.getByRole("region", { name: "Findings" }).getByRole("listitem").allTextContents();

  /** Returns what the API complains about, in the words of the page. */
  const complaints = async (sourceYaml: string): Promise<string[]> => {
    const { status, body } = await on().on.inProject("PUT", "/integrations:batch?dryRun=true", {
      sourceYaml,
    });
    const words = (
      severity: string,
      all: { line: number; message: string; remedy: string; rule: string }[],
    ) =>
      all.map(({ line, message, remedy, rule }) => `${severity}, line ${line}: ${message} ${remedy} ${rule}`);
    if (status === 200) return body.flatMap(({ warnings }: { warnings: [] }) => words("Warning", warnings));
    return words(
      "Error",
      body.issues.map((issue: { detail: string }) => ({ ...issue, message: issue.detail })),
    );
  };

  test("the editor complains where the API does, in the same words, by every rule", async () => {
    const visit = await on().visit();
    const told = new Set<string>();
    await visit.open("/projects/default/deploy?template=write");
    for (const text of [...FAULTY, FIRST]) {
      await typeManifest(visit, text);
      const wanted = await complaints(text);
      for (const line of wanted) told.add(line.split(" ").at(-1) ?? "");
      // The API names only the errors of a manifest that it refuses.
      const errors = wanted.some((line) => line.startsWith("Error"));
      await until(async () => {
        const shown = (await findings(visit)).filter((line) => !errors || line.startsWith("Error"));
        return JSON.stringify(shown) === JSON.stringify(wanted);
      });
    }
    const findingTypes = readFileSync(join(ROOT, "server/manifest/finding.ts"), "utf8");
    const rules = [...findingTypes.matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(([, rule = ""]) => rule);
    assert.deepEqual(
      rules.filter((rule) => !told.has(rule)),
      NEVER_TOLD,
    );
    await typeManifest(visit, FAULTY[1] ?? "");
    await visit.page.locator(".cm-lintRange-error").first().waitFor();
    visit.assertUntroubled();
    await visit.close();
  });

  test("a manifest is compared as the API compares it, deployed, and an old revision restored with its comments", async () => {
    const { on: busbar } = on();
    const visit = await on().visit();
    const { page } = visit;
    await visit.open("/projects/default/deploy?template=write");
    await typeManifest(visit, FIRST);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("heading", { name: "sales: added, 0 installations" }).waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("heading", { name: "Deployed" }).waitFor();
    await visit.open("/projects/default/deploy?integration=sales");
    await typeManifest(visit, SECOND);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("+ write.objects.companies", { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Differences" }).waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("heading", { name: "Deployed" }).waitFor();
    await visit.open("/projects/default/integrations/sales?tab=revisions");
    await page.getByRole("link", { name: "Back to 1", exact: true }).click();
    await page.getByText("# Who asks for changes: the team of sales.").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("heading", { name: "Deployed" }).waitFor();
    const { results } = (await busbar.inProject("GET", "/integrations/sales/revisions")).body;
    assert.equal(results.length, 3);
    assert.match(results[0].createdBy, /^builder:/);
    const { body } = await busbar.inProject("GET", `/integrations/sales/revisions/${results[0].id}`);
    assert.equal(body.source, FIRST);
    visit.assertUntroubled();
    await visit.close();
    await busbar.inProject("DELETE", "/integrations/sales");
  });

  test("a zip is opened in the editor", async () => {
    const visit = await on().visit();
    await visit.open("/projects/default/deploy?template=write");
    await visit.page.getByRole("textbox", { name: "Manifest" }).waitFor();
    const buffer = Buffer.from(zipSync({ "crm/amp.yaml": strToU8(FIRST) }));
    await visit.page
      .locator("input[type=file]")
      .setInputFiles({ name: "crm.zip", mimeType: "application/zip", buffer });
    await visit.page.getByText("# Who asks for changes: the team of sales.").waitFor();
    visit.assertUntroubled();
    await visit.close();
  });
};
