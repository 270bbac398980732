/** Deploying manifests as text: what is right arrives whole, what is wrong is reported at once with its place. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { processorMs } from "../harness/processor-ms.ts";
import { assertProblem } from "./assert-problem.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";

/** One integration per line: provider and an object it can read and write. */
const PROVIDERS: [provider: string, object: string][] = [
  ["hubspot", "companies"],
  ["salesforce", "Account"],
  ["intercom", "contacts"],
  ["pipedrive", "deals"],
  ["attio", "lists"],
  ["asana", "projects"],
  ["zendeskSupport", "tickets"],
  ["close", "lead"],
];

const nameIntegration = (provider: string, object: string) => `
  - name: sync-${provider}
    displayName: Sync ${provider}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          destination: hook
          schedule: "0 */2 * * *"
          requiredFields:
            - fieldName: name
              mapToName: title
          backfill:
            defaultPeriod: { days: 7 }
    write:
      objects:
        - objectName: ${object}
          inheritMapping: true
    proxy:
      enabled: true
`;

const deployable = (integrations: string) => `specVersion: 1.0.0\nintegrations:${integrations}`;

/** Lines count from 1; the mistakes stand at 1:14, 5:15, 10:21, 16:23 and 18:27. */
const FIVE_MISTAKES = `specVersion: 2.0.0
integrations:
  - name: first
    displayName: First
    provider: hubspott
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "every hour"
  - name: second
    provider: salesforce
    write:
      objects:
        - objectName: Contact
        - objectName: Contact
        - objectName: Lead
          inheritMapping: "yes"
`;

const busbar = await shareTestBusbar();

describe("deploying a manifest", () => {
  const deploy = (sourceYaml: unknown) => busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
  const names = async () =>
    (await busbar.inProject("GET", "/integrations")).body.map((row: { name: string }) => row.name).toSorted();

  test("integrations of several providers deploy in one file, each with a revision that says what the file said", async () => {
    const all = PROVIDERS.map(([provider, object]) => nameIntegration(provider, object)).join("");
    const answer = await deploy(deployable(all));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.length, PROVIDERS.length);
    for (const [index, [provider, object]] of PROVIDERS.entries()) {
      const { name, latestRevision } = answer.body[index];
      assert.equal(name, `sync-${provider}`);
      assert.equal(latestRevision.specVersion, "1.0.0");
      const [read] = latestRevision.content.read.objects;
      assert.equal(read.objectName, object);
      assert.deepEqual(read.requiredFields, [{ fieldName: "name", mapToName: "title" }]);
      assert.equal(latestRevision.content.write.objects[0].inheritMapping, true);
      const shown = await busbar.inProject("GET", `/integrations/${name}`);
      assert.equal(shown.body.latestRevision.id, latestRevision.id);
    }
  });

  test("a destination that the project has not is a warning until it is made", async () => {
    const rules = async () => {
      const sourceYaml = deployable(nameIntegration("hubspot", "companies"));
      const { body } = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
      return body[0].warnings.map(({ rule }: { rule: string }) => rule);
    };
    assert.ok((await rules()).includes("destination-not-found"));
    await addWebhook(busbar, "hook", "https://example.com/hook");
    assert.ok(!(await rules()).some((rule: string) => rule.startsWith("destination-")));
  });

  test("a warning about the file as a whole is reported with its first integration", async () => {
    const sourceYaml = `${deployable(nameIntegration("hubspot", "companies") + nameIntegration("salesforce", "account"))}\ncolour: red\n`;
    for (const query of ["", "?dryRun=true"]) {
      const { body } = await busbar.inProject("PUT", `/integrations:batch${query}`, { sourceYaml });
      const unknown = body.map(({ warnings }: { warnings: { rule: string; path: string }[] }) =>
        warnings.filter(({ rule }) => rule === "unknown-key").map(({ path }) => path),
      );
      assert.deepEqual(unknown, [["$.colour"], []]);
    }
  });

  test("deploying again makes a new revision, and integrations that the file leaves out stay", async () => {
    const first = await deploy(deployable(nameIntegration("hubspot", "companies")));
    const second = await deploy(deployable(nameIntegration("hubspot", "contacts")));
    assert.equal(second.body[0].id, first.body[0].id);
    assert.notEqual(second.body[0].latestRevision.id, first.body[0].latestRevision.id);
    assert.ok((await names()).includes("sync-salesforce"));
  });

  test("a manifest with five different mistakes returns all five with line and column, and nothing is deployed", async () => {
    const before = await names();
    const problem = assertProblem(await deploy(FIVE_MISTAKES), 422, "invalid-manifest");
    const reported = problem.issues.map(
      (issue: { line: number; column: number; rule: string }) =>
        `${issue.line}:${issue.column} ${issue.rule}`,
    );
    assert.deepEqual(reported.toSorted(), [
      "10:21 schedule-syntax",
      "16:23 duplicate-write-object",
      "18:27 wrong-type",
      "1:14 spec-version",
      "5:15 provider-not-supported",
    ]);
    for (const issue of problem.issues) assert.ok(issue.remedy && issue.detail && issue.name, issue.rule);
    assert.equal(problem.causes.length, 5);
    assert.match(JSON.stringify(problem.issues), /Did you mean \\"hubspot\\"/);
    assert.deepEqual(await names(), before);
  });

  test("one broken integration keeps the whole file out", async () => {
    const before = await names();
    const both = `${nameIntegration("notion", "pages").replace("sync-notion", "good")}\n  - name: bad\n    provider: nobody\n    proxy: { enabled: true }\n`;
    assertProblem(await deploy(deployable(both)), 422);
    assert.deepEqual(await names(), before);
  });

  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghij"
    .split("")
    .map((name, index) => {
      const last = "abcdefghij"[index];
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${last}`).join(",")}]`;
    })
    .join("\n")}\n`;
  const broken: [what: string, text: string, says: RegExp][] = [
    ["YAML that does not parse", "specVersion: 1.0.0\nintegrations:\n  - name: [open\n", /line \d/],
    ["a tab as indentation", "specVersion: 1.0.0\nintegrations:\n\t- name: x\n", /line \d/],
    ["an empty file", "", /mistake/],
    ["a list instead of a map", "- 1\n- 2\n", /mistake/],
    ["a plain text", "hello", /mistake/],
    ["several documents", "specVersion: 1.0.0\n---\nspecVersion: 1.0.0\n", /mistake/],
    ["a key that is there twice", "specVersion: 1.0.0\nspecVersion: 1.0.0\nintegrations: []\n", /mistake/],
    ["aliases that multiply", bomb, /mistake/],
    ["an alias of itself", "specVersion: 1.0.0\nintegrations: &a\n  - *a\n", /mistake/],
    ["a language tag", "specVersion: !!js/function 'function(){}'\nintegrations: []\n", /mistake/],
    [
      "a very deep list",
      `specVersion: 1.0.0\nintegrations: ${"[".repeat(5_000)}${"]".repeat(5_000)}\n`,
      /mistake/,
    ],
    ["two megabytes", `specVersion: 1.0.0\n${"# filler\n".repeat(250_000)}`, /mistake/],
    ["a prototype", "specVersion: 1.0.0\nintegrations: []\n__proto__: { polluted: true }\n", /mistake/],
  ];
  for (const [what, text, says] of broken) {
    test(`${what} is refused with less than a second of work and deploys nothing`, async () => {
      const before = await names();
      const usedMs = await processorMs(async () => {
        const problem = assertProblem(await deploy(text), 422, "invalid-manifest");
        assert.match(problem.detail, says);
        for (const issue of problem.issues) assert.ok(issue.line >= 1 && issue.column >= 1);
      });
      assert.ok(usedMs < 1_000, `${usedMs} ms`);
      assert.deepEqual(await names(), before);
    });
  }

  test("neither or both sources, or one that is no text, are refused", async () => {
    assertProblem(await busbar.inProject("PUT", "/integrations:batch", {}), 422);
    const both = { sourceYaml: "x", sourceZipUrl: "gs://a/b" };
    assertProblem(await busbar.inProject("PUT", "/integrations:batch", both), 422);
    assertProblem(await deploy({ specVersion: "1.0.0" }), 400);
  });

  test("deploys at the same time all succeed, whatever the order of their integrations", async () => {
    const parts = ["one", "two", "three", "four"].map((name) =>
      nameIntegration("github", "issues").replace("sync-github", name),
    );
    const files = [parts, parts.toReversed()].map((list) => deployable(list.join("")));
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => deploy(files[index % 2])));
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    assert.equal(answers[1]?.body[0].name, "four");
  });

  test("a provider cannot be changed under an integration's name", async () => {
    await deploy(deployable(nameIntegration("hubspot", "companies")));
    const moved = nameIntegration("salesforce", "Account").replace("sync-salesforce", "sync-hubspot");
    const problem = assertProblem(await deploy(deployable(moved)), 422);
    assert.match(problem.detail, /is one of hubspot/);
  });
});
