/** A whole Busbar for a test: its own database, the sandbox CRMs, real listeners, and a client to call it with. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { catalogOverlay } from "../../sandbox/catalog-overlay.ts";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { readConfig } from "../../server/ground/config.ts";
import { createLog } from "../../server/ground/log.ts";
import { startBusbar, type Busbar } from "../../server/main.ts";
import { checkAnswers } from "./answers.ts";
import { createTestDatabase, type Scope } from "./database.ts";

export interface Answer {
  status: number;
  headers: Headers;
  // A test says what it expects; a wrong guess fails the test.
  body: any; // oxlint-disable-line typescript/no-explicit-any
  text: string;
}

export interface TestBusbar {
  busbar: Busbar;
  sandbox: Sandbox;
  apiKey: string;
  projectId: string;
  connectionString: string;
  /** `call("GET", "/v1/projects")`; a string body goes out as it is. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls below `/v1/projects/default`. */
  inProject(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  write(
    integration: string,
    object: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Stops Busbar as SIGTERM does and starts it again on the same database, at new addresses. */
  restart(): Promise<void>;
  /** Another Busbar on the same database, as a second process would be; stopped with this one. */
  sibling(): Promise<Busbar>;
  stop(): Promise<void>;
}

export interface TestBusbarOptions {
  env?: Record<string, string>;
  providerTimeoutMs?: number;
  /** Providers to add or change, over the overlay that moves HubSpot and Salesforce to the sandbox. */
  providers?: Record<string, unknown>;
}

export async function startTestBusbar(scope: Scope, options: TestBusbarOptions = {}): Promise<TestBusbar> {
  const started = await openTestBusbar(options);
  scope.after(() => started.stop());
  return started;
}

/** The same for a whole file: stop it in `after`, declared outside `before`. */
export async function openTestBusbar(options: TestBusbarOptions = {}): Promise<TestBusbar> {
  const sandbox = await startSandbox();
  const { connectionString, drop } = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-data-"));
  const catalogPath = join(dataDir, "catalog.json");
  const overlay = catalogOverlay(sandbox.url);
  await writeFile(catalogPath, JSON.stringify({ providers: { ...overlay.providers, ...options.providers } }));
  const config = readConfig({
    DATABASE_URL: connectionString,
    BUSBAR_DATA_DIR: dataDir,
    BUSBAR_PORT: "0",
    BUSBAR_PROXY_PORT: "0",
    BUSBAR_CATALOG: catalogPath,
    BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
    BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    BUSBAR_LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "silent",
    ...options.env,
  });
  const { providerTimeoutMs } = options;
  const answers = checkAnswers();
  const start = () =>
    startBusbar({ config, log: createLog(config.logLevel), onAnswer: answers.onAnswer, providerTimeoutMs });
  let busbar = await start();
  const siblings: Busbar[] = [];
  const { bootstrap } = busbar;
  if (!bootstrap) throw new Error("a fresh database was not bootstrapped");
  const call: TestBusbar["call"] = async (method, path, body, headers) => {
    const origin = new URL(busbar.urls.base).origin;
    const sent = { "x-api-key": bootstrap.apiKey, ...headers };
    const answer = await send(`${origin}${path}`, method, body, sent);
    answers.requireGood(answer.headers.get("x-request-id"));
    return answer;
  };
  return {
    get busbar() {
      return busbar;
    },
    sandbox,
    apiKey: bootstrap.apiKey,
    projectId: bootstrap.projectId,
    connectionString,
    call,
    inProject: (method, path, body, headers) => call(method, `/v1/projects/default${path}`, body, headers),
    write: (integration, object, body, headers) =>
      call("POST", `/write/v1/projects/default/integrations/${integration}/objects/${object}`, body, headers),
    async restart() {
      await busbar.stop();
      busbar = await start();
    },
    async sibling() {
      const started = await start();
      siblings.push(started);
      return started;
    },
    async stop() {
      for (const sibling of siblings) await sibling.stop();
      await busbar.stop();
      await sandbox.close();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
      answers.requireGood();
    },
  };
}

async function send(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
}

/** A customer of HubSpot or Salesforce, connected with tokens of the sandbox and installed. */
export async function connectCustomer(
  on: TestBusbar,
  customer: {
    provider: "hubspot" | "salesforce";
    manifest: string;
    integration: string;
    groupRef: string;
    content?: object;
  },
): Promise<{ connectionId: string; installationId: string }> {
  const { provider, manifest, integration, groupRef, content } = customer;
  const deployed = await on.inProject("PUT", "/integrations:batch", { sourceYaml: manifest });
  if (deployed.status !== 200) throw new Error(`deploy: ${deployed.text}`);
  const tokens = on.sandbox[provider].mintToken();
  const connection = await on.inProject("POST", "/connections:generate", {
    provider,
    groupRef,
    consumerRef: `${groupRef}-admin`,
    providerWorkspaceRef: "acme",
    oauth2AuthorizationCode: {
      accessToken: { token: tokens.accessToken },
      refreshToken: { token: tokens.refreshToken },
    },
  });
  if (connection.status !== 201) throw new Error(`connect: ${connection.text}`);
  const installation = await on.inProject("POST", `/integrations/${integration}/installations`, {
    groupRef,
    config: { content: { provider, ...content } },
  });
  if (installation.status !== 201) throw new Error(`install: ${installation.text}`);
  return { connectionId: connection.body.id, installationId: installation.body.id };
}
