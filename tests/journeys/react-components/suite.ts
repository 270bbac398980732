/** The published React components in a browser: customers connect, install, reconnect and uninstall with them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { DESCRIPTIONS } from "../../../connectors/descriptions.gen.ts";
import type { ArrivedRequest } from "../../../simulations/aws-signature-check.ts";
import { startSimulation, type Simulation } from "../../../simulations/start-simulation.ts";
import { openTestBusbar, type TestBusbar } from "../../harness/busbar.ts";
import { launchBrowser, NO_CHROMIUM } from "../../harness/chromium.ts";
import { openSink, type Sink } from "../../harness/deliveries/sink.ts";
import { registerJwtKey, type TokenSigner } from "../../harness/customer-tokens.ts";
import { openCustomer, type Customer } from "../ui-library/customer.ts";
import { servePage, type ServedPage } from "../ui-library/serve-page.ts";
import { openStepwiseProvider, type StepwiseProvider } from "../ui-library/stepwise-provider.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "clients/react");
const CLIENT = join(ROOT, "clients/typescript/dist/index.js");
const MAX_BYTES = 40 * 1024;

/** What a customer of each provider reads; the credentials that they type, and wrong ones. */
const PROVIDERS = {
  hubspot: { name: "HubSpot", object: "contacts", field: "email" },
  salesforce: { name: "Salesforce", object: "Contact", field: "Email" },
  stripe: { name: "Stripe", object: "customers", field: "email", typed: { "API key": "good" } },
  freshdesk: {
    name: "Freshdesk",
    object: "contacts",
    field: "email",
    typed: { "API key": "good", Domain: "acme" },
  },
} as const;
type Provider = keyof typeof PROVIDERS;
const TYPED = ["stripe", "freshdesk"] as const;

const MANIFEST = `specVersion: 1.0.0
integrations:${Object.entries(PROVIDERS)
  .map(
    ([provider, { object, field, name }]) => `
  - name: ${provider}-people
    displayName: People in ${name}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: ${field}`,
  )
  .join("")}
`;

/** The accounts at providers whose customers type a key. */
const accounts = { stripe: { key: "good" }, freshdesk: { key: "good" } };

/** Refuses, as these providers do, every request without the account's key. */
const admit =
  (provider: (typeof TYPED)[number]) =>
  ({ rawHeaders }: ArrivedRequest) => {
    const given =
      rawHeaders[rawHeaders.findIndex((each) => each.toLowerCase() === "authorization") + 1] ?? "";
    const [scheme, value = ""] = given.split(" ");
    const key = scheme === "Basic" ? Buffer.from(value, "base64").toString().split(":")[0] : value;
    if (key === accounts[provider].key) return undefined;
    return {
      status: 401,
      headers: {},
      body: { code: "invalid_credentials", message: "You have to be logged in" },
    };
  };

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
    const simulations: Simulation[] = [];
    after(async () => {
      await browser?.close();
      await served?.close();
      await busbar?.stop();
      await stepwise?.close();
      await sink?.close();
      for (const simulation of simulations) await simulation.close();
    });
    before(async () => {
      await buildComponents();
      const described: Record<string, object> = {};
      for (const provider of TYPED) {
        const description = DESCRIPTIONS[provider];
        assert.ok(description);
        const simulation = await startSimulation(description, { admit: admit(provider) });
        simulations.push(simulation);
        const check = `${simulation.url}${provider === "stripe" ? "/v1/customers" : "/api/v2/contacts"}`;
        described[provider] = { baseURL: simulation.url, authHealthCheck: { url: check } };
      }
      stepwise = await openStepwiseProvider();
      busbar = await openTestBusbar({ providers: { stepwise: stepwise.entry, ...described } });
      const alias = {
        "@busbar/react/styles.css": join(FOLDER, "dist/styles.css"),
        "@busbar/react": join(FOLDER, "dist/index.js"),
        "@busbar/client": CLIENT,
      };
      const entry = join(import.meta.dirname, "page.js");
      const { origin } = new URL(busbar.busbar.urls.base);
      [served, browser] = await Promise.all([servePage(origin, { entry, alias }), launchBrowser()]);
      for (const provider of ["hubspot", "salesforce"]) {
        const scopes = provider === "hubspot" ? ["oauth"] : ["api", "refresh_token"];
        const app = { provider, scopes, clientId: "c", clientSecret: "s" };
        await busbar.inProject("POST", "/provider-apps", app);
      }
      signer = await registerJwtKey(busbar);
      sink = await openSink();
      const hook = { name: "hook", type: "webhook", metadata: { url: `${sink.url}/hook` } };
      assert.equal((await busbar.inProject("POST", "/destinations", hook)).status, 201);
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
      const own = [new URL(served.url).origin, new URL(busbar.busbar.urls.base).origin];
      customer.page.on("request", (request) => {
        if (!own.includes(new URL(request.url()).origin)) foreign.push(request.url());
      });
      const find = async () => (await busbar.inProject("GET", `/connections?groupRef=${groupRef}`)).body;
      return { ...customer, foreign, find };
    };

    const installed = (t: TestContext, provider: Provider) =>
      open(t, provider, { integration: `${provider}-people`, object: PROVIDERS[provider].object });

    for (const provider of ["hubspot", "salesforce"] as const) {
      test(`a customer of ${provider} connects, installs, connects again after a refusal, and uninstalls`, async (t) => {
        const { name } = PROVIDERS[provider];
        const customer = await installed(t, provider);
        await customer.sees("Not set up yet");
        await assertAccessible(customer);
        await customer.consent(`Connect ${name}`, "allow");
        await customer.sees(/^Connected/);
        const [connection] = await customer.find();
        assert.equal(connection.group.groupName, "Acme");
        assert.equal(connection.consumer.consumerName, "Ada");
        assert.deepEqual(await customer.reported(1), [`connected ${connection.id}`]);
        await customer.press("Install");
        await customer.sees("Working");
        await assertAccessible(customer);

        busbar.sandbox[provider].revokeTokens();
        const refresh = `/connections/${connection.id}?includeCreds=true&refresh=force`;
        assert.notEqual((await busbar.inProject("GET", refresh)).status, 200);
        await customer.sees(`${name} does not accept this connection any more`);
        await customer.page.getByText("Needs attention").nth(1).waitFor();
        await assertAccessible(customer);
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
        await assertAccessible(customer);
        await customer.press("Yes, remove");
        await customer.sees("Not set up yet");
        assert.deepEqual((await customer.reported(2)).slice(1), ["uninstalled"]);
        assert.deepEqual(await customer.find(), []);
        assert.deepEqual(customer.foreign, []);
        customer.assertUntroubled();
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
        await assertAccessible(customer);
        await customer.press(`Connect ${name}`);
        await customer.page
          .getByRole("alert")
          .getByText(/refused|rejected|logged in/)
          .waitFor();
        await assertAccessible(customer);
        await type(typed);
        await customer.press(`Connect ${name}`);
        await customer.sees(/^Connected/);
        await customer.press("Install");
        await customer.sees("Working");
        customer.forgive();

        const [connection] = await customer.find();
        // As after a change of the key at the provider.
        accounts[provider].key = "changed";
        await busbar.inProject("POST", `/connections/${connection.id}:check`);
        await customer.sees(`${name} does not accept this connection any more`);
        const status = customer.page.getByRole("region", { name: `People in ${name}` });
        await status.getByRole("button", { name: "Reconnect" }).click();
        await type({ ...typed, "API key": "changed" });
        await assertAccessible(customer);
        await status.getByRole("button", { name: "Save" }).click();
        await customer.sees("Working");
        assert.equal((await customer.find())[0].id, connection.id);

        await customer.press("Remove integration");
        await customer.press("Yes, remove");
        await customer.sees("Not set up yet");
        assert.deepEqual(customer.foreign, []);
        customer.assertUntroubled();
      });
    }

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

/** Agrees on Busbar's page, if it asks, and on the provider's. */
async function agree(popup: Page): Promise<void> {
  await popup.locator("#continue").click();
  await popup.locator("#allow").click();
}

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** In the dark, only what depends on colours. */
const RULES = {
  light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  dark: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Fails if axe finds anything, on a light or on a dark page. */
async function assertAccessible({ page }: Pick<Customer, "page">): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  for (const [scheme, rules] of Object.entries(RULES)) {
    await page.evaluate(`document.documentElement.style.colorScheme = "${scheme}"`);
    const options = JSON.stringify({ runOnly: rules, resultTypes: ["violations"] });
    const { violations }: AxeResult = await page.evaluate(`axe.run(${options})`);
    const faults = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${scheme}: ${id}: ${html} ${failureSummary}`),
    );
    assert.deepEqual(faults, []);
  }
}
