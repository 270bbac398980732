/** What a viewer sees and may not do, on every page and tab; and the API behind it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addPerson } from "../../harness/people.ts";
import { installReader } from "../install-reader.ts";
import { openEachTab, listPages } from "../list-pages.ts";
import { signIn } from "../open-dashboard.ts";
import type { Suite } from "../run-suites.ts";

/** Buttons that change nothing. Every other one is disabled for a viewer. */
const HARMLESS = [
  /^(Pause|Show fields|Add a condition|Open a file or zip|Download|Share without values|Export as CSV|Older)$/,
  /^Copy /,
  // They open an event or what a provider sent.
  /^[a-z]+(\.[a-z]+)+$/,
  /^9\d{10}$/,
];
/** A person's own account is theirs, whatever the role. */
const OWN = "/account";

/** Calls that are of no project and no organisation, or that others make. */
const OF_NO_ROLE = [
  "createOrg",
  "acceptInvite",
  "createSession",
  "deleteSession",
  "deleteOtherSessions",
  "putUpload",
  "receiveEvents",
  "receiveEventsOfInstallation",
  "receiveEventsOfProvider",
  "oauthContinue",
  "oauthRetry",
  "customAuthContinue",
  "customAuthFormCallback",
  // Not built.
  "createBillingAccountSession",
];

/** Bodies that name what the call is about; of the others the address does. */
const buildBodies = (orgId: string): Record<string, object> => {
  const connect = { projectIdOrName: "default", provider: "hubspot", groupRef: "acme", consumerRef: "ada" };
  return {
    addUserToOrg: { builderId: orgId },
    claimDomain: { domain: "acme.example", parentType: "org", parentId: orgId },
    createProject: { orgId, name: "another", appName: "Another" },
    customAuthConnect: connect,
    oauthConnect: connect,
  };
};

export const suite: Suite = (server) => {
  test("on every page and tab, all that a viewer could change something with is disabled and explained", async () => {
    const { busbar } = server();
    const { apiKey } = await addPerson(busbar, "viewer");
    const visit = await server().visitSignedOut();
    await signIn(visit, apiKey);
    const { page } = visit;
    const changes: string[] = [];
    page.on("request", (request) => {
      const isChange = request.method() !== "GET" && !request.url().endsWith("dryRun=true");
      if (isChange) changes.push(`${request.method()} ${request.url()}`);
    });
    const faults: string[] = [];
    let disabled = 0;
    const pages = [
      ...(await listPages(server())),
      { path: `/projects/default${await installReader(server())}` },
    ];
    for (const [index, { path }] of pages.entries()) {
      await (index === 0 ? visit.open(path) : visit.follow(path));
      await openEachTab(visit, async (tab) => {
        const place = tab === undefined ? path : `${path} ${tab}`;
        const { offered, unexplained, explained }: Controls = await page.evaluate(controls);
        disabled += explained;
        faults.push(
          ...offered
            .filter((name) => path !== OWN && !HARMLESS.some((one) => one.test(name)))
            .map((name) => `${place}: ${name} is offered`),
          ...unexplained.map((name) => `${place}: ${name} is not explained`),
        );
        if (path !== OWN) await page.evaluate(useFields);
        faults.push(...changes.splice(0).map((change) => `${place}: ${change}`));
      });
    }
    assert.deepEqual(faults, []);
    assert.ok(disabled > 40, `${disabled} are disabled`);
    await visit.close();
    await busbar.inProject("DELETE", "/integrations/people");
  });

  test("the API refuses a viewer every change of a project and its organisation with 403", async () => {
    const { busbar } = server();
    const { apiKey } = await addPerson(busbar, "viewer");
    const visit = await server().visitSignedOut();
    await signIn(visit, apiKey);
    const operations = listChangingOperations(busbar.server.bootstrap?.orgId ?? "");
    // As the page itself would, with the cookie.
    const statuses: number[] = await visit.page.evaluate(
      (calls) =>
        Promise.all(
          calls.map(async ({ method, path, body }) => {
            const headers = { "content-type": "application/json" };
            const sent = { method, headers, body: JSON.stringify(body) };
            return (await fetch(path, sent)).status;
          }),
        ),
      operations,
    );
    const allowed = operations.flatMap(({ operationId }, index) =>
      statuses[index] === 403 ? [] : [`${operationId} ${statuses[index]}`],
    );
    assert.deepEqual(allowed, []);
    assert.ok(operations.length > 60);
    await visit.close();
  });
};

const OPENAPI = join(import.meta.dirname, "../../../openapi.json");

interface Call {
  operationId: string;
  method: string;
  path: string;
  body: object;
}

function listChangingOperations(orgId: string): Call[] {
  const { paths }: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(
    readFileSync(OPENAPI, "utf8"),
  );
  const bodies = buildBodies(orgId);
  const values: Record<string, string> = { projectIdOrName: "default", orgId };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) =>
      ["post", "put", "patch", "delete"].includes(method) && !OF_NO_ROLE.includes(operationId)
        ? [
            {
              operationId,
              method: method.toUpperCase(),
              path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "none"),
              body: bodies[operationId] ?? {},
            },
          ]
        : [],
    ),
  );
}

interface Controls {
  offered: string[];
  unexplained: string[];
  explained: number;
}

/** The rest runs in the browser; as text, because this file is checked without the types of browsers. */
const controls = `(() => {
  const main = document.querySelector("main");
  const reasons = /^This needs the role \\w+; you are viewer\\.$/m;
  const pageSays = reasons.test(main.innerText);
  const readName = (one) => (one.getAttribute("aria-label") ?? one.textContent).trim();
  const all = [...main.querySelectorAll("button:not([role=tab])")].filter((one) => one.checkVisibility());
  const isExplained = (one) => {
    const own = document.getElementById(one.getAttribute("aria-describedby"))?.textContent;
    return own === undefined ? pageSays : true;
  };
  const disabled = all.filter((one) => one.matches(":disabled"));
  return {
    offered: all.filter((one) => !disabled.includes(one)).map(readName),
    unexplained: disabled.filter((one) => !isExplained(one)).map(readName),
    explained: disabled.filter(isExplained).length,
  };
})()`;

/** Chooses and checks whatever can be chosen and checked: what is changed at once must not be offered. */
const useFields = `(async () => {
  const main = document.querySelector("main");
  for (const field of main.querySelectorAll("select:enabled, input[type=checkbox]:enabled")) {
    if (!field.isConnected) continue;
    if (field.type === "checkbox") field.click();
    else {
      field.selectedIndex = (field.selectedIndex + 1) % field.options.length;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    await new Promise((done) => setTimeout(done, 0));
  }
})()`;
