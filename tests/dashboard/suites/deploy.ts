/** Job 7, changing a manifest: findings while typing, the comparison, the deployment, and the way back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { strToU8, zipSync } from "fflate";
import { until } from "../../harness/until.ts";
import type { Suite } from "../dashboard.test.ts";
import type { Visit } from "../open-dashboard.ts";

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

/** Manifests with many faults each, so that most rules have something to say. */
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

  test("the editor complains where the API does, in the same words", async () => {
    const visit = await on().visit();
    await visit.open("/projects/default/deploy?template=write");
    for (const text of [...FAULTY, FIRST]) {
      await typeManifest(visit, text);
      const wanted = await complaints(text);
      // The API names only the errors of a manifest that it refuses.
      const errors = wanted.some((line) => line.startsWith("Error"));
      await until(async () => {
        const shown = (await findings(visit)).filter((line) => !errors || line.startsWith("Error"));
        return JSON.stringify(shown) === JSON.stringify(wanted);
      });
    }
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
