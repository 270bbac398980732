/** The published UI library, unmodified, in a browser: customers connect, install, change, pause and uninstall with it. */
import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import type { Browser } from "playwright-core";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { launchBrowser, NO_CHROMIUM } from "../harness/chromium.ts";
import { registerJwtKey, type TokenSigner } from "../harness/customer-tokens.ts";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import type { RunningVendor } from "../../simulations/vendor/start-vendor.ts";
import { openTestVendor } from "../harness/test-vendor.ts";
import { openCustomer, type Customer } from "./ui-library/customer.ts";
import { openStepwiseProvider, type StepwiseProvider } from "./ui-library/stepwise-provider.ts";
import { servePage, type ServedPage } from "./ui-library/serve-page.ts";

/** What a builder declares and a customer sees, in the words of either provider. */
const CRMS = {
  hubspot: {
    provider: "HubSpot",
    people: { name: "contacts", label: "Contacts", field: "email", fieldLabel: "Email" },
    extra: { name: "city", label: "City" },
    notes: [
      { name: "lastname", label: "Last Name" },
      { name: "jobtitle", label: "Job Title" },
    ],
    firms: { name: "companies", label: "Companies", field: "domain" },
  },
  salesforce: {
    provider: "Salesforce",
    people: { name: "Contact", label: "Contact", field: "Email", fieldLabel: "Email" },
    extra: { name: "MailingCity", label: "Mailing City" },
    notes: [
      { name: "LastName", label: "Last Name" },
      { name: "Title", label: "Title" },
    ],
    firms: { name: "Account", label: "Account", field: "Website" },
  },
} as const;
type Crm = keyof typeof CRMS;

const integration = (crm: Crm): string => {
  const { people, extra, firms } = CRMS[crm];
  return `
  - name: ${crm}-people
    provider: ${crm}
    read:
      objects:
        - objectName: ${people.name}
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: ${people.field}
            - mapToName: notes
              mapToDisplayName: Notes
              prompt: Which field holds notes?
          optionalFields:
            - fieldName: ${extra.name}
        - objectName: ${firms.name}
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: ${firms.field}
    write:
      objects:
        - objectName: ${people.name}
          inheritMapping: true
        - objectName: ${firms.name}`;
};
/** The objects of a provider that the project added. */
const QUILL = {
  defaults: { list: { path: "/v3/{path}" }, records: "results", paging: { none: true }, modes: ["read"] },
  objects: {
    people: {
      singular: "person",
      metadata: {
        fields: { email: { type: "string" }, nickname: { type: "string" }, about: { type: "string" } },
      },
    },
  },
  errors: { message: ["error.text"] },
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
};
/** What that provider answers. */
const QUILL_FACTS: Facts = {
  provider: "x-quill",
  sources: {},
  hosts: [],
  objects: {
    people: {
      id: { path: "id", type: "string" },
      list: {
        source: "",
        method: "GET",
        path: "/v3/people",
        success: [200],
        records: "results",
        paging: { kind: "none" },
      },
    },
  },
};
const QUILL_MANIFEST = `specVersion: 1.0.0
integrations:
  - name: quill-people
    provider: x-quill
    read:
      objects:
        - objectName: people
          destination: hook
          requiredFields:
            - fieldName: email
            - mapToName: notes
              mapToDisplayName: Notes
`;
const MANIFEST = `specVersion: 1.0.0\nintegrations:${integration("hubspot")}${integration("salesforce")}\n`;

describe(
  "the published UI library",
  {
    skip: NO_CHROMIUM,
    concurrency: 3,
  },
  () => {
    let busbar: TestBusbar;
    let browser: Browser;
    let served: ServedPage;
    let stepwise: StepwiseProvider;
    let quill: RunningVendor;
    let signer: TokenSigner;
    let frontendKey: string;
    after(async () => {
      await browser.close();
      await served.close();
      await busbar.stop();
      await stepwise.close();
      await quill.close();
    });
    before(async () => {
      stepwise = await openStepwiseProvider();
      busbar = await openTestBusbar({ providers: { stepwise: stepwise.entry } });
      [served, browser] = await Promise.all([
        servePage(new URL(busbar.server.urls.base).origin),
        launchBrowser(),
      ]);
      for (const [provider, scopes] of [
        ["hubspot", ["oauth"]],
        ["salesforce", ["api", "refresh_token"]],
      ]) {
        await busbar.inProject("POST", "/provider-apps", {
          provider,
          scopes,
          clientId: "c",
          clientSecret: "s",
        });
      }
      const made = await busbar.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] });
      frontendKey = made.body.key;
      await busbar.inProject("PATCH", "", { updateMask: ["appName"], project: { appName: "Widgets" } });
      signer = await registerJwtKey(busbar);
      const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
      assert.equal(deployed.status, 200, deployed.text);
      quill = await openTestVendor(QUILL_FACTS);
      quill.vendor.records.put("people", {
        fields: { email: "ada@example.com", nickname: "ada", about: "x" },
      });
      const document = {
        displayName: "Quill",
        authType: "apiKey",
        baseURL: quill.url,
        apiKeyOpts: { attachmentType: "header", header: { name: "X-Quill-Key" } },
        connector: QUILL,
      };
      const revision = { sourceYaml: QUILL_MANIFEST, providers: { "x-quill": document } };
      const own = await busbar.inProject("PUT", "/integrations:batch", revision);
      assert.equal(own.status, 200, own.text);
    });

    const open = (t: TestContext, asked: { groupRef: string } & Record<string, string>): Promise<Customer> =>
      openCustomer(t, { browser, url: served.url }, asked.groupRef, asked);

    const journeys = [
      {
        crm: "hubspot",
        credential: "a customer's token",
        buildCredential: async (groupRef: string) => ({ token: await signer.sign({ groupRef }) }),
      },
      {
        crm: "salesforce",
        credential: "a frontend key",
        buildCredential: async () => ({ apiKey: frontendKey }),
      },
    ] as const;

    for (const { crm, credential, buildCredential } of journeys) {
      test(`with ${credential} a customer of ${crm} connects, installs with a field mapping, changes it, pauses an object and uninstalls`, async (t) => {
        const { provider, people, firms, extra, notes } = CRMS[crm];
        const groupRef = `${crm}-customer`;
        const path = `/integrations/${crm}-people/installations`;
        const installations = async () =>
          (await busbar.inProject("GET", `${path}?groupRef=${groupRef}`)).body;
        const content = async () => (await installations())[0].config.content;
        const customer = await open(t, {
          integration: `${crm}-people`,
          groupRef,
          ...(await buildCredential(groupRef)),
        });
        const { page } = customer;

        await customer.sees(`Set up ${provider} integration`);
        await customer.picture("before");
        await customer.consent("Next", "allow");
        await customer.sees("Widgets reads the following fields");
        const [connection] = (await busbar.inProject("GET", `/connections?groupRef=${groupRef}`)).body;
        assert.equal(connection.provider, crm);
        // The library shows it beside the connection.
        assert.ok(connection.providerWorkspaceRef);
        assert.equal(connection.group.groupName, "Acme");
        assert.equal(connection.consumer.consumerName, "Ada");
        await customer.picture("connected");

        await customer.sees(people.fieldLabel);
        await customer.map("Notes", notes[0].label);
        await customer.picture("mapped");
        await customer.press("Install");
        const [installed] = await customer.reported(1);
        const [installation] = await installations();
        assert.equal(installed, `installed ${installation.id}`);
        assert.equal(installation.connection.id, connection.id);
        const read = await content();
        assert.deepEqual(Object.keys(read.read.objects), [people.name]);
        assert.deepEqual(read.read.objects[people.name].selectedFieldMappings, { notes: notes[0].name });
        await customer.picture("installed");

        await page.getByRole("tab", { name: people.label }).click();
        await customer.map("Notes", notes[1].label);
        await page.getByRole("checkbox", { name: extra.label }).click();
        await customer.press("Save");
        await customer.reported(2);
        const changed = (await content()).read.objects[people.name];
        assert.deepEqual(changed.selectedFieldMappings, { notes: notes[1].name });
        assert.equal(changed.selectedFields[extra.name], true);
        await customer.picture("changed");

        await page.getByRole("tab", { name: "Write" }).click();
        await page.getByRole("checkbox", { name: firms.label }).click();
        await customer.picture("write");
        await customer.press("Save");
        await customer.reported(3);
        assert.deepEqual(Object.keys((await content()).write.objects), [firms.name]);

        await page.getByRole("tab", { name: people.label }).click();
        await customer.press(`Stop reading from ${people.label}`);
        await customer.picture("pausing");
        await customer.press("Stop reading");
        await customer.sees("Reading is currently disabled");
        await customer.picture("paused");
        const paused = (await content()).read.objects[people.name];
        assert.equal(paused.disabled, true);
        assert.deepEqual(paused.selectedFieldMappings, { notes: notes[1].name });
        await customer.press(`Re-enable reading from ${people.label}`);
        await customer.sees(`Reading from ${people.label} is enabled`);
        assert.equal((await content()).read.objects[people.name].disabled, false);

        await page.getByRole("tab", { name: "Manage" }).click();
        await customer.picture("manage");
        await customer.press("Yes, uninstall");
        await customer.sees("successfully uninstalled");
        assert.deepEqual(await installations(), []);
        assert.equal((await busbar.inProject("GET", `${path}/${installation.id}`)).status, 404);
        customer.assertUntroubled();
      });
    }

    test("a customer connects again under the same id, is not asked for metadata, and disconnects", async (t) => {
      const groupRef = "again";
      const customer = await open(t, { provider: "salesforce", groupRef, apiKey: frontendKey });
      await customer.consent("Next", "allow");
      await customer.sees("successfully connected");
      const [id = ""] = await customer.reported(1);
      const first = (await busbar.inProject("GET", `/connections/${id}`)).body;
      await customer.page.reload();
      await customer.sees("successfully connected");
      await customer.press("Update connection");
      await customer.consent("Next", "allow");
      const second = (await busbar.inProject("GET", `/connections/${id}`)).body;
      assert.notEqual(second.updateTime, first.updateTime, "new tokens");
      await customer.press("Update connection");
      await customer.picture("again");
      await customer.press("Remove connection");
      await customer.sees("Set up Salesforce integration");
      assert.equal((await busbar.inProject("GET", `/connections/${id}`)).status, 404);
      customer.assertUntroubled();
    });

    const typed = [
      { provider: "activeCampaign", fields: { apiKey: "typed", workspace: "acme" }, scheme: "apiKey" },
      { provider: "amplitude", fields: { username: "typed", password: "typed" }, scheme: "basic" },
      { provider: "freshservice", fields: { username: "typed", workspace: "acme" }, scheme: "apiKey" },
      { provider: "gitlab", fields: { token: "typed" }, scheme: "none" },
    ];
    for (const { provider, fields, scheme } of typed) {
      test(`a customer of ${provider} types ${Object.keys(fields).join(" and ")} and is connected`, async (t) => {
        const groupRef = `typed-${provider}`;
        const token = await signer.sign({ groupRef });
        const customer = await open(t, { provider, groupRef, token });
        for (const [name, value] of Object.entries(fields)) {
          await customer.page.locator(`#${name}`).fill(value);
        }
        await customer.picture("typed");
        await customer.press("Next");
        await customer.sees("successfully connected");
        const [id] = await customer.reported(1);
        const shown = (await busbar.inProject("GET", `/connections/${id}?includeCreds=true`)).body;
        assert.equal(shown.authScheme, scheme);
        assert.equal(shown.apiKey, scheme === "apiKey" ? "typed" : undefined);
        assert.equal(shown.providerWorkspaceRef, fields.workspace);
        customer.assertUntroubled();
      });
    }

    for (const { credential, buildCredential } of journeys) {
      test(`with ${credential} a customer of a provider that the project added connects and installs`, async (t) => {
        const groupRef = `own-${credential.replaceAll(/\W/g, "-")}`;
        const customer = await open(t, {
          integration: "quill-people",
          groupRef,
          ...(await buildCredential(groupRef)),
        });
        await customer.page.locator("#apiKey").fill("typed");
        await customer.picture("typed");
        await customer.press("Next");
        await customer.sees("Widgets reads the following fields");
        await customer.map("Notes", "about");
        await customer.picture("mapped");
        await customer.press("Install");
        const [installed] = await customer.reported(1);
        const path = `/integrations/quill-people/installations?groupRef=${groupRef}`;
        const [installation] = (await busbar.inProject("GET", path)).body;
        assert.equal(installed, `installed ${installation.id}`);
        const { people } = installation.config.content.read.objects;
        assert.deepEqual(people.selectedFieldMappings, { notes: "about" });
        customer.assertUntroubled();
      });
    }

    test("a customer goes over two pages of a provider with steps of its own, by link and by form, and is connected", async (t) => {
      const groupRef = "stepwise";
      const token = await signer.sign({ groupRef });
      const customer = await open(t, { provider: "stepwise", groupRef, token });
      await customer.page.locator("#company").fill("Acme");
      const second = customer.page.context().waitForEvent("page", {
        predicate: async (page) => {
          await page.waitForURL(/leave/).catch(() => {});
          return page.url().includes("/leave");
        },
      });
      await customer.consent("Next", "allow");
      await (await second).locator("#allow").click();
      await customer.sees("successfully connected your Stepwise account to Widgets");
      const [id] = await customer.reported(1);
      const { body } = await busbar.inProject("GET", `/connections/${id}`);
      assert.deepEqual(body.providerMetadata["region"], { value: "eu", source: "provider" });
      customer.assertUntroubled();
    });

    test("a customer who cancels before the provider's page is told so; its buttons rest when the window gets the focus", async (t) => {
      const customer = await open(t, { provider: "hubspot", groupRef: "cancelled", apiKey: frontendKey });
      const opened = customer.page.waitForEvent("popup");
      await customer.press("Next");
      const popup = await opened;
      await popup.locator("#continue:not([aria-disabled])").waitFor();
      const asked = popup.url();
      const pressed = `dispatchEvent(new Event("focus")); document.querySelector("#continue").click();
        document.querySelector("#continue").ariaDisabled`;
      assert.equal(await popup.evaluate(pressed), "true");
      await popup.locator("#continue:not([aria-disabled])").waitFor();
      assert.equal(popup.url(), asked);
      const closed = popup.waitForEvent("close");
      await popup.locator("#cancel").click();
      await closed;
      await customer.sees("You cancelled, and nothing was connected");
    });

    test("a customer who declines is told so, and is not connected", async (t) => {
      const customer = await open(t, { provider: "hubspot", groupRef: "declined", apiKey: frontendKey });
      await customer.consent("Next", "deny");
      await customer.sees("Access to HubSpot was declined, and nothing was connected");
      assert.deepEqual((await busbar.inProject("GET", "/connections?groupRef=declined")).body, []);
    });
  },
);
