/** The published React components in a browser: customers connect, install, reconnect and uninstall with them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import type { RunningVendor } from "../../../simulations/vendor/start-vendor.ts";
import { openAgent } from "../../harness/agent-client.ts";
import { openTestBusbar, type TestBusbar } from "../../harness/busbar.ts";
import { launchBrowser, NO_CHROMIUM } from "../../harness/chromium.ts";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { addWebhook } from "../../harness/deliveries/routes.ts";
import { openSink, type Sink } from "../../harness/deliveries/sink.ts";
import { registerJwtKey, type TokenSigner } from "../../harness/customer-tokens.ts";
import { signIn } from "../../harness/people.ts";
import { openTestVendor } from "../../harness/test-vendor.ts";
import { until } from "../../harness/until.ts";
import { openCustomer } from "../ui-library/customer.ts";
import { servePage, type ServedPage } from "../ui-library/serve-page.ts";
import { assertAccessible } from "./assert-accessible.ts";
import { checkPrograms } from "./check-programs.ts";
import { checkStyles } from "./check-styles.ts";
import { accounts, admit, MANIFEST, PROVIDERS, TYPED, type Provider } from "./providers.ts";
import { openStepwiseProvider, type StepwiseProvider } from "../ui-library/stepwise-provider.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "clients/react");
const CLIENT = join(ROOT, "clients/typescript/dist/index.js");
const MAX_BYTES = 40 * 1024;
/** Their customers see the same components in the same colours as those of HubSpot and Stripe. */
const LOOKS_ALIKE: ReadonlySet<Provider> = new Set<Provider>(["salesforce", "freshdesk"]);

/** Compiles the components as they are published. The client must have been built. */
async function buildComponents(): Promise<void> {
  await rm(join(FOLDER, "dist"), { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", FOLDER]);
  await copyFile(join(FOLDER, "src/styles.css"), join(FOLDER, "dist/styles.css"));
}

/** The tests. Needs the TypeScript client, built. */
export const testReactComponents = (): void => {
  void describe("the React components", { skip: NO_CHROMIUM, concurrency: 3 }, () => {
    let busbar: TestBusbar;
    let browser: Browser;
    let served: ServedPage;
    let signer: TokenSigner;
    let stepwise: StepwiseProvider;
    let sink: Sink;
    const vendors: RunningVendor[] = [];
    after(async () => {
      await browser?.close();
      await served?.close();
      await busbar?.stop();
      await stepwise?.close();
      await sink?.close();
      for (const vendor of vendors) await vendor.close();
    });
    before(async () => {
      await buildComponents();
      const described: Record<string, object> = {};
      for (const provider of TYPED) {
        const running = await openTestVendor(provider, { intercept: admit(provider) });
        vendors.push(running);
        const { object, field, extra, notes } = PROVIDERS[provider];
        const fields = { [field]: "ada@example.com", [extra]: "1", [notes]: "x" };
        running.vendor.records.put(object, { fields });
        const check = `${running.url}${provider === "stripe" ? "/v1/customers" : "/api/v2/contacts"}`;
        described[provider] = { baseURL: running.url, authHealthCheck: { url: check } };
      }
      stepwise = await openStepwiseProvider();
      busbar = await openTestBusbar({ providers: { stepwise: stepwise.entry, ...described } });
      const alias = {
        "@busbar/react/styles.css": join(FOLDER, "dist/styles.css"),
        "@busbar/react": join(FOLDER, "dist/index.js"),
        "@busbar/client": CLIENT,
        // The page and the components must have one React: that of the tests is for the published UI library.
        react: join(ROOT, "node_modules/react"),
        "react-dom": join(ROOT, "node_modules/react-dom"),
      };
      const entry = join(import.meta.dirname, "page.js");
      const { origin } = new URL(busbar.server.urls.base);
      [served, browser] = await Promise.all([servePage(origin, { entry, alias }), launchBrowser()]);
      for (const provider of ["hubspot", "salesforce"]) {
        const scopes = provider === "hubspot" ? ["oauth"] : ["api", "refresh_token"];
        const app = { provider, scopes, clientId: "c", clientSecret: "s" };
        await busbar.inProject("POST", "/provider-apps", app);
      }
      signer = await registerJwtKey(busbar);
      sink = await openSink();
      await addWebhook(busbar, "hook", `${sink.url}/hook`);
      const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
      assert.equal(deployed.status, 200, deployed.text);
    });

    const open = async (
      t: TestContext,
      provider: string,
      { groupRef = `customer-of-${provider}`, ...more }: Record<string, string> = {},
    ) => {
      const token = await signer.sign({ groupRef });
      const customer = await openCustomer(t, { browser, url: served.url }, `react-${groupRef}`, {
        provider,
        token,
        ...more,
      });
      const foreign: string[] = [];
      const own = [new URL(served.url).origin, new URL(busbar.server.urls.base).origin];
      customer.page.on("request", (request) => {
        if (!own.includes(new URL(request.url()).origin)) foreign.push(request.url());
      });
      const find = async () => (await busbar.inProject("GET", `/connections?groupRef=${groupRef}`)).body;
      return { ...customer, foreign, find };
    };

    const installed = (t: TestContext, provider: Provider) =>
      open(t, provider, { integration: `${provider}-people` });

    /** Maps the field, installs, adds a field, and stops and starts an object. */
    const installAndChange = async (customer: Awaited<ReturnType<typeof open>>, provider: Provider) => {
      const { object, extra, notes } = PROVIDERS[provider];
      const { page, press, sees, reported } = customer;
      const stored = async () => {
        const path = `/integrations/${provider}-people/installations?groupRef=customer-of-${provider}`;
        const { content } = (await busbar.inProject("GET", path)).body[0].config;
        return { read: content.read.objects[object], write: content.write };
      };
      await sees("Choose a field for: Notes");
      assert.ok(await page.getByRole("button", { name: "Install", exact: true }).isDisabled());
      await assertAccessible(customer, { isSeenElsewhere: LOOKS_ALIKE.has(provider) });
      const mapping = page.getByLabel("Notes", { exact: true });
      // Where the provider's fields are not known, their names are typed.
      if ("typed" in PROVIDERS[provider]) await mapping.fill(notes);
      else await mapping.selectOption(notes);
      await press("Install");
      await sees("Working");
      const [, saved = ""] = await reported(2);
      assert.match(saved, /^saved /);
      assert.deepEqual((await stored()).read.selectedFieldMappings, { notes });
      assert.deepEqual(Object.keys((await stored()).write.objects), [object]);
      const form = page.getByRole("region", { name: "What is shared" });
      const boxes = form.getByRole("checkbox");
      await form.getByLabel("Change People").waitFor();
      await form.getByRole("group").first().getByRole("checkbox").nth(1).check();
      await press("Save");
      await reported(3);
      assert.deepEqual((await stored()).read.selectedFields, { [extra]: true });
      await boxes.first().uncheck();
      await boxes.last().uncheck();
      await press("Save");
      await reported(4);
      const stopped = await stored();
      assert.equal(stopped.read.disabled, true);
      assert.deepEqual(stopped.read.selectedFieldMappings, { notes });
      await boxes.first().check();
      await press("Save");
      await reported(5);
      assert.equal((await stored()).read.disabled, false);
      await sees(`Read ${object}`);
      await customer.picture("installed");
      await assertAccessible(customer, { isSeenElsewhere: LOOKS_ALIKE.has(provider) });
    };

    for (const provider of ["hubspot", "salesforce"] as const) {
      test(`a customer of ${provider} connects, installs, connects again after a refusal, and uninstalls`, async (t) => {
        const { name } = PROVIDERS[provider];
        const customer = await installed(t, provider);
        await customer.sees("Not set up yet");
        await assertAccessible(customer, { isSeenElsewhere: LOOKS_ALIKE.has(provider) });
        await customer.consent(`Connect ${name}`, "allow");
        await customer.sees(/^Connected/);
        const [connection] = await customer.find();
        assert.equal(connection.group.groupName, "Acme");
        assert.equal(connection.consumer.consumerName, "Ada");
        assert.deepEqual(await customer.reported(1), [`connected ${connection.id}`]);
        await installAndChange(customer, provider);

        busbar.sandbox[provider].revokeTokens();
        const refresh = `/connections/${connection.id}?includeCreds=true&refresh=force`;
        assert.notEqual((await busbar.inProject("GET", refresh)).status, 200);
        await customer.sees(`${name} does not accept this connection any more`);
        await customer.page.getByText("Needs attention").nth(1).waitFor();
        await assertAccessible(customer, { isSeenElsewhere: LOOKS_ALIKE.has(provider) });
        await customer.picture("refused");
        const status = customer.page.getByRole("region", { name: `People in ${name}` });
        const again = customer.page.waitForEvent("popup");
        await status.getByRole("button", { name: "Reconnect" }).click();
        await agree(await again);
        await customer.sees("Working");
        const [renewed] = await customer.find();
        assert.equal(renewed.id, connection.id);
        assert.notEqual(renewed.status, "bad_credentials");

        await customer.press("Remove integration");
        await assertAccessible(customer, { isSeenElsewhere: LOOKS_ALIKE.has(provider) });
        customer.assertUntroubled();
        await customer.press("Yes, remove");
        await customer.sees("Not set up yet");
        assert.deepEqual((await customer.reported(6)).slice(5), ["uninstalled"]);
        assert.deepEqual(await customer.find(), []);
        assert.deepEqual(customer.foreign, []);
      });
    }

    for (const provider of TYPED) {
      test(`a customer of ${provider} types credentials, is told of wrong ones, types new ones, and uninstalls`, async (t) => {
        const { name, typed } = PROVIDERS[provider];
        const customer = await installed(t, provider);
        const type = async (values: Record<string, string>) => {
          for (const [label, value] of Object.entries(values)) {
            await customer.page.getByLabel(label, { exact: true }).fill(value);
          }
        };
        const [first = ""] = Object.keys(typed);
        await customer.sees("Not set up yet");
        await type({ ...typed, [first]: "wrong" });
        await assertAccessible(customer, { isSeenElsewhere: LOOKS_ALIKE.has(provider) });
        await customer.press(`Connect ${name}`);
        await customer.page
          .getByRole("alert")
          .getByText(/refused|rejected|logged in/)
          .waitFor();
        await assertAccessible(customer, { isSeenElsewhere: LOOKS_ALIKE.has(provider) });
        await type(typed);
        await customer.press(`Connect ${name}`);
        await customer.sees(/^Connected/);
        customer.forgive();
        await installAndChange(customer, provider);

        const [connection] = await customer.find();
        // As after a change of the key at the provider.
        accounts[provider].key = "changed";
        await busbar.inProject("POST", `/connections/${connection.id}:check`);
        await customer.sees(`${name} does not accept this connection any more`);
        const status = customer.page.getByRole("region", { name: `People in ${name}` });
        await status.getByRole("button", { name: "Reconnect" }).click();
        await type({ ...typed, "API key": "changed" });
        await assertAccessible(customer, { isSeenElsewhere: LOOKS_ALIKE.has(provider) });
        await status.getByRole("button", { name: "Save" }).click();
        await customer.sees("Working");
        assert.equal((await customer.find())[0].id, connection.id);

        await customer.press("Remove integration");
        // What is asked for again in the moment of the removal is not found.
        customer.assertUntroubled();
        await customer.press("Yes, remove");
        await customer.sees("Not set up yet");
        assert.deepEqual(customer.foreign, []);
      });
    }

    test("one of the builder's people, or of the customer's where the policy lets them, approves what an agent asks for, and is shown what it is", async (t) => {
      const groupRef = "asked";
      await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"], groupRef });
      const key = await busbar.inProject("POST", "/api-keys", { label: "agent", scopes: ["read", "write"] });
      const agent = await openAgent(busbar, { credential: key.body.key, groupRef });
      const approve = async (name: string, token: string) => {
        const record = { email: `asked-by-${name}@example.com` };
        const { content } = await agent.call("create_record", { object: "contacts", record });
        assert.equal(content.status, "approval_required", JSON.stringify(content));
        const person = await openCustomer(t, { browser, url: served.url }, `react-approvals-${name}`, {
          token,
        });
        await person.sees("wants to call create_record");
        await person.sees(record.email);
        await person.picture("asked");
        await assertAccessible(person);
        await person.press("Approve");
        await person.sees("Nothing waits for a decision");
        const path = `/approvals/${content.approval.approvalId}`;
        await until(async () => (await busbar.inProject("GET", path)).body.status === "executed");
        person.assertUntroubled();
      };
      await busbar.inProject("PUT", "/agent-policy", { default: { write: "ask" } });
      const { authorization = "" } = await signIn(busbar);
      await approve("builder", authorization.replace("Bearer ", ""));
      await busbar.inProject("PUT", "/agent-policy", { default: { write: "ask" }, customersMayDecide: true });
      await approve("customer", await signer.sign({ groupRef }));
    });

    test("a customer goes over two pages of a provider with steps of its own, and disconnects", async (t) => {
      const customer = await open(t, "stepwise");
      await customer.page.getByLabel("Company").fill("Acme");
      const opened = customer.page.waitForEvent("popup");
      await customer.press("Connect Stepwise");
      const popup = await opened;
      await popup.locator("#continue").click();
      await popup.locator("#allow").click();
      await popup.waitForURL(/leave/);
      await popup.locator("#allow").click();
      await customer.sees(/^Connected/);
      assert.deepEqual((await customer.find())[0].providerMetadata["region"], {
        value: "eu",
        source: "provider",
      });
      await customer.press("Disconnect");
      await customer.press("Yes, remove");
      await customer.page.getByLabel("Company").waitFor();
      assert.deepEqual((await customer.reported(2)).slice(1), ["disconnected"]);
      customer.assertUntroubled();
    });

    test("a customer who closes the window, or declines, is told so and can try again", async (t) => {
      const customer = await open(t, "hubspot", { groupRef: "declined" });
      const opened = customer.page.waitForEvent("popup");
      await customer.press("Connect HubSpot");
      await (await opened).close();
      await customer.sees("The window was closed before HubSpot was connected");
      await customer.consent("Connect HubSpot", "deny");
      await customer.sees("Access to HubSpot was declined, and nothing was connected");
      await assertAccessible(customer);
    });

    test("every program of the guide and the README fits the components", () => checkPrograms());

    test("the components have their colours, on a light page and on a dark one, after a tool has rewritten the styles for older browsers", async () => {
      await checkStyles(browser, await readFile(join(FOLDER, "dist/styles.css"), "utf8"));
    });

    test("all components with the client are at most 40 KB, compressed, without React", async () => {
      const { outputFiles } = await build({
        stdin: { contents: `export * from "@busbar/react"`, resolveDir: ROOT },
        alias: { "@busbar/react": join(FOLDER, "dist/index.js"), "@busbar/client": CLIENT },
        external: ["react", "react/jsx-runtime"],
        bundle: true,
        minify: true,
        format: "esm",
        write: false,
        logLevel: "error",
      });
      const styles = await readFile(join(FOLDER, "dist/styles.css"));
      const bytes = gzipSync(outputFiles[0]?.contents ?? "").length + gzipSync(styles).length;
      assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
    });
  });
};

async function agree(popup: Page): Promise<void> {
  await popup.locator("#continue").click();
  await popup.locator("#allow").click();
}
