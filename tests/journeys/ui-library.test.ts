/** The published UI library, unmodified, in a browser: customers connect through its pop-up. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { registerJwtKey, type TokenSigner } from "../harness/customer-tokens.ts";
import { servePage, type ServedPage } from "./ui-library/serve-page.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: email
            - mapToName: notes
              prompt: Which field holds notes?
    write:
      objects:
        - objectName: contacts
          inheritMapping: true
`;

const CHROMIUM = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path && existsSync(path),
);

describe(
  "the published UI library",
  { skip: CHROMIUM ? false : "no Chromium here: install it, or name it in CHROMIUM" },
  () => {
    let on: TestBusbar;
    let browser: Browser;
    let context: BrowserContext;
    let served: ServedPage;
    let signer: TokenSigner;
    let frontendKey: string;
    after(async () => {
      await browser.close();
      await served.close();
      await on.stop();
    });
    afterEach(() => context.close());
    before(async () => {
      on = await openTestBusbar();
      served = await servePage(new URL(on.busbar.urls.base).origin);
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
      for (const [provider, scopes] of [
        ["hubspot", ["oauth"]],
        ["salesforce", ["api", "refresh_token"]],
      ]) {
        await on.inProject("POST", "/provider-apps", { provider, scopes, clientId: "c", clientSecret: "s" });
      }
      frontendKey = (await on.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] })).body
        .key;
      signer = await registerJwtKey(on);
    });

    /** The page, with every refusal of Busbar noted. */
    async function open(asked: Record<string, string>): Promise<{ page: Page; refusals: string[] }> {
      context = await browser.newContext();
      const page = await context.newPage();
      const refusals: string[] = [];
      page.on("response", (response) => {
        if (response.status() >= 400) refusals.push(`${response.status()} ${response.url()}`);
      });
      await page.goto(`${served.url}?${new URLSearchParams({ project: "default", ...asked })}`);
      return { page, refusals };
    }
    /** What a person does: next, and a decision on the provider's own page. */
    async function consent(page: Page, button: string, decision: "allow" | "deny"): Promise<Page> {
      const opened = page.waitForEvent("popup");
      await page.getByRole("button", { name: button }).click();
      const popup = await opened;
      const closed = popup.waitForEvent("close");
      await popup.locator(`#${decision}`).click();
      await closed;
      return popup;
    }
    const connected = (page: Page) => page.getByText("successfully connected").waitFor();
    const told = (page: Page) => page.evaluate(() => (globalThis as unknown as { told: string[] }).told);

    test("with a frontend key a customer connects HubSpot, connects again under the same id, and disconnects", async () => {
      const { page, refusals } = await open({ provider: "hubspot", groupRef: "acme", apiKey: frontendKey });
      await consent(page, "Next", "allow");
      await connected(page);
      const [id] = await told(page);
      const row = await on.inProject("GET", `/connections/${id}`);
      assert.equal(row.body.group.groupName, "Acme", row.text);
      await page.getByRole("button", { name: "Update connection" }).click();
      await consent(page, "Next", "allow");
      const updated = await on.inProject("GET", `/connections/${id}`);
      assert.notEqual(updated.body.updateTime, row.body.updateTime, "the same connection, with new tokens");
      assert.deepEqual(refusals, []);
    });

    test("with a customer's token a customer connects Salesforce and nobody asks for metadata afterwards", async () => {
      const token = await signer.sign({ groupRef: "globex" });
      const { page, refusals } = await open({ provider: "salesforce", groupRef: "globex", token });
      await consent(page, "Next", "allow");
      await connected(page);
      await page.reload();
      await connected(page);
      assert.deepEqual(refusals, []);
    });

    test("with a customer's token a customer installs with a field mapping, allows writing, and uninstalls", async () => {
      await on.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
      const token = await signer.sign({ groupRef: "umbrella" });
      const { page, refusals } = await open({ integration: "crm", groupRef: "umbrella", token });
      await consent(page, "Next", "allow");
      const installation = async () =>
        (await on.inProject("GET", "/integrations/crm/installations?groupRef=umbrella")).body[0];

      await page.getByPlaceholder("Please select one").fill("Last Name");
      await page.getByRole("option", { name: "Last Name" }).click();
      await page.getByRole("button", { name: "Install" }).click();
      await page.getByText("to write to these objects").waitFor();
      const installed = await installation();
      assert.equal(installed.createdBy, "consumer:ada");
      assert.deepEqual(installed.config.content.read.objects.contacts.selectedFieldMappings, {
        notes: "lastname",
      });

      await page.getByRole("checkbox").first().click();
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForFunction(() =>
        JSON.stringify((globalThis as unknown as { told: string[] }).told).includes("updated"),
      );
      assert.ok((await installation()).config.content.write.objects.contacts);

      await page.getByText("Manage", { exact: true }).click();
      await page.getByRole("button", { name: "Yes, uninstall" }).click();
      await page.getByText("successfully uninstalled").waitFor();
      assert.equal(await installation(), undefined);
      assert.deepEqual(refusals, []);
    });

    test("a customer who declines is told so, and is not connected", async () => {
      const { page } = await open({ provider: "hubspot", groupRef: "initech", apiKey: frontendKey });
      await consent(page, "Next", "deny");
      await page.getByText("access_denied").waitFor();
      assert.deepEqual((await on.inProject("GET", "/connections?groupRef=initech")).body, []);
    });
  },
);
