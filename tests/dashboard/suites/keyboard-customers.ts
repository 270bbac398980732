/** Jobs about customers' accounts, done by keyboard alone: the first integration, a broken connection, a backfill. */
import { test } from "node:test";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { assertKept, press, skipToContent, pressTabTo, typeInto } from "../by-keyboard.ts";
import type { Suite } from "../run-suites.ts";
import type { Visit } from "../open-dashboard.ts";

const STEPS = "/projects/typed-steps";
const READING = `specVersion: 1.0.0
integrations:
  - name: watched
    provider: hubspot
    read:
      objects:
        - objectName: deals
          destination: my-app
          backfill: { defaultPeriod: { fullHistory: true } }
          requiredFields: [{ fieldName: dealname }]
`;

export const suite: Suite = (server) => {
  const headed = ({ page }: Visit, title: RegExp | string) =>
    page.locator("h1:focus").getByText(title).waitFor();
  const inDialog = async ({ page }: Visit, label: string) =>
    page.getByRole("dialog").getByLabel(label, { exact: true }).and(page.locator(":focus")).waitFor();
  const dialogGone = ({ page }: Visit) => page.getByRole("dialog").waitFor({ state: "detached" });

  /** Consents in the window that a key opens. */
  const consentAfter = async ({ page }: Visit, name: string) => {
    const opened = page.waitForEvent("popup");
    await press({ page }, name);
    const consent = { page: await opened };
    await consent.page.getByRole("button", { name: /^Continue to/ }).waitFor();
    await pressTabTo(consent, "Continue to");
    await consent.page.locator("#continue:not([aria-disabled])").waitFor();
    await consent.page.keyboard.press("Enter");
    await consent.page.getByRole("link", { name: "Allow" }).waitFor();
    await press(consent, "Allow");
  };

  test("job 1 by keyboard alone: from an empty project to a written record and a webhook", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    const { keyboard } = page;
    const begin = async (path: string) => {
      await visit.open(path);
      await skipToContent(visit);
    };

    await begin(`/orgs/${busbar.server.bootstrap?.orgId}/projects`);
    await press(visit, "New project");
    await inDialog(visit, "Name");
    await keyboard.type("typed-steps");
    await typeInto(visit, "Application", "Typed steps");
    await press(visit, "Create");
    await dialogGone(visit);
    await page.getByRole("link", { name: "typed-steps", exact: true }).waitFor();
    await press(visit, "typed-steps");
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    await press(visit, "Register your OAuth client with the provider");
    await headed(visit, /Provider apps/);

    await press(visit, "New provider app");
    await inDialog(visit, "Provider");
    // Typing chooses among those that are there.
    await page.getByRole("dialog").locator("option[value=hubspot]").waitFor({ state: "attached" });
    await keyboard.type("HubSpot");
    await typeInto(visit, "Client id", "typed-client");
    await typeInto(visit, "Client secret", "typed-secret");
    await typeInto(visit, "Scopes", "oauth");
    await press(visit, "Create");
    await page.getByRole("row", { name: /typed-client/ }).waitFor();
    await dialogGone(visit);
    await assertKept(visit);

    await begin(STEPS);
    await page.getByRole("link", { name: "Deploy it" }).waitFor();
    await press(visit, "Deploy it");
    await page.getByText("No findings.").waitFor();
    await pressTabTo(visit, "Manifest");
    await keyboard.press("Escape");
    await press(visit, "Deploy");
    await page.getByRole("heading", { name: "Deployed" }).waitFor();

    await begin(`${STEPS}/customers`);
    await press(visit, "Connect");
    await inDialog(visit, "Customer");
    await keyboard.type("typed-customer");
    await consentAfter(visit, "Connect");
    await page.waitForURL(/\/customers\/typed-customer$/);
    await page.getByRole("button", { name: "Install", exact: true }).waitFor();
    await press(visit, "Install");
    await page.getByRole("dialog").getByRole("button", { name: "Install", exact: true }).waitFor();
    await press(visit, "Install");
    await page.waitForURL(/\/installations\//);

    await begin(`${STEPS}/playground`);
    await page.getByRole("textbox", { name: "Record" }).waitFor();
    await pressTabTo(visit, "Record");
    await keyboard.press("Control+a");
    await keyboard.insertText('{"email": "typed@northwind.example"}');
    await keyboard.press("Escape");
    await press(visit, "Send");
    await page.getByRole("region", { name: "Answer" }).getByText("success").first().waitFor();

    await begin(`${STEPS}/destinations`);
    await press(visit, "New destination");
    await inDialog(visit, "Name");
    await keyboard.type("typed-app");
    await typeInto(visit, "url", "http://127.0.0.1:9/typed");
    await press(visit, "Create destination");
    await dialogGone(visit);
    await assertKept(visit);

    await visit.open(STEPS);
    await page.getByText("All six steps are done.").waitFor();
    await visit.closeUntroubled();
    await busbar.call("DELETE", "/v1/projects/typed-steps");
  });

  test("job 5 by keyboard alone: a broken connection is found on the overview, checked, and connected again", async () => {
    const { busbar } = server();
    const app = { provider: "salesforce", clientId: "typed-salesforce", clientSecret: "app-secret" };
    const { body: created } = await busbar.inProject("POST", "/provider-apps", app);
    const broken = await connectCustomer(busbar, {
      provider: "salesforce",
      objects: ["account"],
      groupRef: "typed-again",
      skipSampling: true,
    });
    busbar.sandbox.salesforce.revokeTokens();
    await broken.write("account", { type: "create", record: { Name: "Nobody" } });
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default");
    await page.getByRole("link", { name: "typed-again · salesforce" }).waitFor();
    await skipToContent(visit);
    await press(visit, "typed-again · salesforce");
    await headed(visit, /typed-again/);
    await page.getByText("bad credentials", { exact: true }).first().waitFor();
    await press(visit, "Check now");
    await page.getByText("Does not work").waitFor();
    await assertKept(visit);
    await press(visit, "Copy link");
    await page.getByText("Send this link to the customer.").waitFor();
    await assertKept(visit);
    await consentAfter(visit, "Connect again");
    await page.getByText("working", { exact: true }).first().waitFor();
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", `/integrations/salesforce/installations/${broken.installationId}`);
    await busbar.inProject("DELETE", `/connections/${broken.connectionId}`);
    await busbar.inProject("DELETE", `/provider-apps/${created.id}`);
  });

  test("job 8 by keyboard alone: the progress of a backfill is watched to its end, and its operation is opened", async () => {
    const { busbar } = server();
    const { hubspot } = busbar.sandbox;
    const changedAt = Date.parse("2026-01-01T00:00:00Z");
    hubspot.account.generate("deals", {
      count: 600,
      changedFrom: changedAt,
      changedTo: changedAt,
      values: {},
    });
    // The provider wants the third page to be asked for again each second, until the test lets it through.
    const busy = { status: 429, headers: { "retry-after": "1" }, skip: 2, count: 1_000 };
    busbar.sandbox.addFault({ provider: "hubspot", path: "/crm/v3/objects/deals", ...busy });
    const content = { read: { objects: { deals: { objectName: "deals" } } } };
    await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "watched",
      manifest: READING,
      integration: "watched",
      content,
      skipSampling: true,
    });
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/integrations/watched");
    await page.getByRole("link", { name: "watched", exact: true }).last().waitFor();
    await skipToContent(visit);
    await press(visit, "watched");
    await headed(visit, /watched/);
    await pressTabTo(visit, "Operations");
    for (const tab of ["Configuration", "Proxy calls", "Reading"]) {
      await page.keyboard.press("ArrowRight");
      await page.getByRole("tab", { name: tab, selected: true }).and(page.locator(":focus")).waitFor();
    }
    await page.getByRole("progressbar", { name: /^Backfill [1-9]\d? %$/ }).waitFor();
    await assertKept(visit);
    busbar.sandbox.clearFaults();
    const all = page.getByRole("link", { name: /^60\d records|^60\d of about/ });
    await all.waitFor();
    await page.getByRole("progressbar").waitFor({ state: "detached" });
    await press(visit, "60");
    await page.waitForURL(/\/operations\//);
    await page.getByRole("main").getByText("success", { exact: true }).first().waitFor();
    await page.locator("h1:focus").waitFor();
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", "/integrations/watched");
  });
};
