/** Job 7, changing a manifest: findings while typing, the comparison, the deployment, and the way back. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { strToU8, zipSync } from "fflate";
import { runCli } from "../../harness/command-line.ts";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { until } from "../../harness/until.ts";
import { replaceText } from "../by-keyboard.ts";
import type { Suite } from "../run-suites.ts";
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

const COMPARED = `specVersion: 1.0.0
integrations:
  - name: compared
    displayName: Compared
    provider: hubspot
    write: { objects: [{ objectName: contacts }, { objectName: companies }] }
`;
/** Something of it is added, changed and removed; the second integration is new, the third unchanged. */
const COMPARED_LATER = `specVersion: 1.0.0
integrations:
  - name: compared
    displayName: Compared → later
    provider: hubspot
    write: { objects: [{ objectName: companies }, { objectName: deals, inheritMapping: true }] }
    proxy: { enabled: true }
  - { name: brand-new, provider: salesforce, proxy: { enabled: true } }
  - { name: as-before, provider: hubspot, proxy: { enabled: true } }
`;
const AS_BEFORE = COMPARED + COMPARED_LATER.slice(COMPARED_LATER.indexOf("  - { name: as-before"));

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
  - name: lists
    provider: hubspot
    read:
      objects:
        - { objectName: contacts, destination: my-app, schedule: "*/15 * * * *", requiredFields: [{ fieldName: "$['emails'][1]", mapToName: e }] }
    write: { objects: [{ objectName: contacts, inheritMapping: true }, { objectName: compnaies }] }
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
  - name: bounded
    provider: boundedCalendar
    read:
      objects:
        - { objectName: events, destination: my-app, backfill: { defaultPeriod: { days: 29 } } }
    proxy: { enabled: true }
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
    provider: braze
    colour: red
    read: { objects: [{ objectName: tasks, destination: nowhere }] }
`,
];

/** Number of findings that the page lists; further ones are only underlined. */
const MAX_LISTED = 50;

/** More warnings than are kept: each destination is missing. */
const TOO_MANY = `specVersion: 1.0.0
integrations:
  - name: many
    provider: hubspot
    read:
      objects:
${Array.from({ length: 502 }, (_, index) => `        - { objectName: o${index}, destination: d${index} }\n`).join("")}`;

/**
 * The rules that nobody can meet in the editor, because they depend on what the caller of `checkManifest` knows, and the page
 * is not such a caller:
 * - `destination-exists` says that the destinations were not looked up, which happens where `destinations` is left out, in
 *   `busbar validate` without a project. API and page always pass the project's.
 * - `frequent-schedule-risk` is about schedules faster than five minutes, which are errors of `schedule-minimum-interval`
 *   unless `minimumScheduleMinutes` is lowered. API and page leave it at ten.
 * - `unknown-field` needs a description whose fields are the same in every account.
 */
const NEVER_TOLD = ["destination-exists", "frequent-schedule-risk", "unknown-field"];

/** The file is larger than what is read. */
const TOO_LARGE = `# ${"large ".repeat(15)}\n`.repeat(2_850);

export const suite: Suite = (server) => {
  const typeManifest = (visit: Visit, text: string) => replaceText(visit, "Manifest", text);
  const findings = ({ page }: Visit) =>
    page.getByRole("region", { name: "Findings" }).getByRole("listitem").allTextContents();

  /** Returns what the API complains about, in the words of the page. */
  const complaints = async (sourceYaml: string): Promise<string[]> => {
    const { status, body } = await server().busbar.inProject("PUT", "/integrations:batch?dryRun=true", {
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

  /** Returns the numbers of the lines that have a mark beside them, of those that are drawn. */
  const markedLines = ({ page }: Visit): Promise<number[]> => page.evaluate(linesWithMark);

  test("the editor complains where the API does, in the same words, by every rule, with a mark at each line", async () => {
    const visit = await server().visit();
    const reported = new Set<string>();
    await visit.open("/projects/default/deploy?template=write");
    for (const text of [...FAULTY, TOO_MANY, TOO_LARGE, FIRST]) {
      await typeManifest(visit, text);
      const wanted = await complaints(text);
      for (const line of wanted) reported.add(line.split(" ").at(-1) ?? "");
      // The API names only the errors of a manifest that it refuses.
      const errors = wanted.some((line) => line.startsWith("Error"));
      await until(async () => {
        const shown = (await findings(visit)).filter((line) => !errors || line.startsWith("Error"));
        return JSON.stringify(shown) === JSON.stringify(wanted.slice(0, MAX_LISTED));
      });
      const lines = [...(await findings(visit)), ...wanted].map((line) =>
        Number(/line (\d+):/.exec(line)?.[1]),
      );
      await visit.page.getByRole("textbox", { name: "Manifest" }).press("Control+Home");
      await until(async () => {
        const [first, last]: [number, number] = await visit.page.evaluate(drawnLines);
        const drawn = lines.filter((line) => line >= first && line <= last);
        return (await markedLines(visit)).join() === [...new Set(drawn)].toSorted((a, b) => a - b).join();
      });
    }
    await typeManifest(visit, TOO_MANY);
    await visit.page.getByText("501 warnings").waitFor();
    await visit.page.getByText("451 more are underlined in the text.").waitFor();
    const findingTypes = readFileSync(join(ROOT, "manifest/finding.ts"), "utf8");
    const rules = [...findingTypes.matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(([, rule = ""]) => rule);
    assert.deepEqual(
      rules.filter((rule) => !reported.has(rule)),
      NEVER_TOLD,
    );
    await typeManifest(visit, FAULTY[1] ?? "");
    await visit.page.locator(".cm-lintRange-error").first().waitFor();
    // However many findings there are.
    for (const name of ["Compare", "Deploy"]) {
      const box = await visit.page.getByRole("button", { name, exact: true }).boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= 800, `${name}: ${JSON.stringify(box)}`);
    }
    await visit.closeUntroubled();
  });

  test("Compare says what `busbar deploy` says before and after it deploys", async () => {
    const { busbar, origin } = server();
    const env = { BUSBAR_URL: origin, BUSBAR_API_KEY: busbar.apiKey, BUSBAR_PROJECT: busbar.projectId };
    const command = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(["deploy", "-", ...args], { env, stdin: COMPARED_LATER });
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const customer = { provider: "hubspot", groupRef: "compared", integration: "compared" } as const;
    await connectCustomer(busbar, { ...customer, manifest: AS_BEFORE, skipSampling: true });
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/deploy?integration=compared");
    await typeManifest(visit, COMPARED_LATER);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("heading", { name: "as-before: unchanged, 0 installations" }).waitFor();
    const shown: Compared[] = await page.evaluate(shownComparison);
    const said = await command("--dry-run");
    assert.deepEqual(shown, listCompared(said));
    assert.deepEqual(
      shown.map(({ title, changes }) => [
        title,
        changes
          .map((line) => line[0])
          .toSorted()
          .join(""),
      ]),
      [
        ["compared: changed, 1 installation", "++-~"],
        ["brand-new: added, 0 installations", ""],
        ["as-before: unchanged, 0 installations", ""],
      ],
    );
    const changes = (text: string) => text.split("\n").filter((line) => /^ {4}[-+~] /.test(line));
    assert.deepEqual(changes(await command("--destructive")), changes(said));
    await visit.closeUntroubled();
    for (const name of ["compared", "brand-new", "as-before"])
      await busbar.inProject("DELETE", `/integrations/${name}`);
  });

  test("a manifest is compared as the API compares it, deployed, and an old revision restored with its comments", async () => {
    const { busbar } = server();
    const visit = await server().visit();
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
    await visit.follow("/projects/default/integrations/sales?tab=revisions");
    await page.getByRole("link", { name: "Back to 1", exact: true }).click();
    await page.getByText("# Who asks for changes: the team of sales.").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("heading", { name: "Deployed" }).waitFor();
    const { results } = (await busbar.inProject("GET", "/integrations/sales/revisions")).body;
    assert.equal(results.length, 3);
    assert.match(results[0].createdBy, /^builder:/);
    const { body } = await busbar.inProject("GET", `/integrations/sales/revisions/${results[0].id}`);
    assert.equal(body.source, FIRST);
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", "/integrations/sales");
  });

  test("in a narrow window the editor is read-only and says why; a wide one edits, and what was typed stays when it narrows", async () => {
    const visit = await server().visit({ width: 360 });
    const { page } = visit;
    const editor = page.getByRole("textbox", { name: "Manifest" });
    const reason = page.getByText("The manifest is read-only here");
    const untilReadOnly = (is: boolean) =>
      until(async () => (await editor.getAttribute("aria-readonly")) === String(is));
    const typed = "# Typed in a wide window.";
    await visit.open("/projects/default/deploy?template=write");
    await untilReadOnly(true);
    await reason.waitFor();
    const before = await editor.textContent();
    await editor.press("Control+Home");
    await page.keyboard.insertText("# Typed in a narrow window.");
    await page.keyboard.press("Enter");
    assert.equal(await editor.textContent(), before);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await untilReadOnly(false);
    await reason.waitFor({ state: "detached" });
    await editor.press("Control+Home");
    await page.keyboard.insertText(typed);
    await page.keyboard.press("Enter");
    await until(async () => (await editor.textContent())?.startsWith(typed) === true);
    await page.setViewportSize({ width: 360, height: 800 });
    await untilReadOnly(true);
    assert.ok((await editor.textContent())?.startsWith(typed));
    await visit.closeUntroubled();
  });

  test("a zip is opened in the editor", async () => {
    const visit = await server().visit();
    await visit.open("/projects/default/deploy?template=write");
    await visit.page.getByRole("textbox", { name: "Manifest" }).waitFor();
    const buffer = Buffer.from(zipSync({ "crm/amp.yaml": strToU8(FIRST) }));
    await visit.page
      .locator("input[type=file]")
      .setInputFiles({ name: "crm.zip", mimeType: "application/zip", buffer });
    await visit.page.getByText("# Who asks for changes: the team of sales.").waitFor();
    await visit.closeUntroubled();
  });
};

interface Compared {
  title: string;
  changes: string[];
}

/** Reads the output of `busbar deploy --dry-run`. */
function listCompared(output: string): Compared[] {
  const all: Compared[] = [];
  for (const line of output.split("\n")) {
    const [, change, name, count] = /^(\w+) +(\S+) {2}\S+ {2}(\d+ installations?)$/.exec(line) ?? [];
    if (name !== undefined) all.push({ title: `${name}: ${change}, ${count}`, changes: [] });
    else if (/^ {4}[-+~] /.test(line)) all.at(-1)?.changes.push(line.trim());
  }
  return all;
}

/** The rest runs in the browser; as text, because this file is checked without the types of browsers. */
const shownComparison = `[...document.querySelectorAll("section")].flatMap((section) => {
  const title = section.querySelector("h2")?.textContent ?? "";
  const changes = [...section.querySelectorAll("p.mono")].map((line) => line.textContent);
  return /installations?$/.test(title) ? [{ title, changes }] : [];
})`;

const linesWithMark = `(() => {
  const of = (gutter) => [...document.querySelectorAll(gutter + " .cm-gutterElement")];
  const numbers = of(".cm-lineNumbers").map((one) => [one.getBoundingClientRect().top, Number(one.textContent)]);
  return of(".cm-gutter-lint").filter((one) => one.querySelector(".cm-lint-marker")).map((one) =>
    numbers.find(([top]) => Math.abs(top - one.getBoundingClientRect().top) < 2)?.[1] ?? 0);
})()`;

const drawnLines = `(() => {
  const numbers = [...document.querySelectorAll(".cm-lineNumbers .cm-gutterElement")]
    .filter((one) => one.getBoundingClientRect().height > 0)
    .map((one) => Number(one.textContent));
  return [Math.min(...numbers), Math.max(...numbers)];
})()`;
