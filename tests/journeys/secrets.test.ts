/** A journey that uses every kind of secret, and a search of everything it has left behind: none is readable. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { openConsentBrowser } from "../harness/consent.ts";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { listRoutes, type RouteServices } from "../../server/routes.ts";
import {
  endChildBusbar,
  runBusbar,
  startChildBusbar,
  type ChildBusbar,
  type Exit,
} from "../harness/child-busbar.ts";
import { registerJwtKey } from "../harness/customer-tokens.ts";
import { until } from "../harness/until.ts";
import { buildCatalog } from "./secrets/catalog.ts";
import { listFilesBelow, listKnownSecrets, getSigningKey } from "./secrets/known-secrets.ts";
import { startReceiver, type Receiver } from "./secrets/receiver.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hubspot
    provider: hubspot
    write: { objects: [{ objectName: contacts }] }
    proxy: { enabled: true }
  - name: salesforce
    provider: salesforce
    write: { objects: [{ objectName: Contact }] }
    proxy: { enabled: true }
`;
/** Not a secret: what shows that the search would find one. */
const MARKER = "marker-that-may-be-read";
const P = "/v1/projects/default";

describe("what a journey leaves behind", () => {
  const secrets = listKnownSecrets();
  const fresh = (name: string) => secrets.add(name, randomBytes(18).toString("hex"));
  /** Answers that are not made to show a secret, and messages to webhooks. */
  const shown: { of: string; text: string }[] = [];
  let sandbox: Sandbox;
  let receiver: Receiver;
  let dataDir: string;
  let environment: Record<string, string>;
  let busbar: ChildBusbar | undefined;
  let exit: Exit;

  after(async () => {
    await endChildBusbar(busbar, dataDir);
    receiver.close();
    await sandbox.close();
  });
  before(async () => {
    sandbox = await startSandbox();
    receiver = await startReceiver((of, text) => shown.push({ of, text }));
    dataDir = await mkdtemp(join(tmpdir(), "busbar-secrets-"));
    const catalog = join(dataDir, "catalog.json");
    await writeFile(catalog, JSON.stringify(buildCatalog(sandbox)));
    environment = {
      BUSBAR_CATALOG: catalog,
      BUSBAR_EGRESS_ALLOW: "127.0.0.1",
      BUSBAR_LOG_LEVEL: "debug",
      BUSBAR_METRICS: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/collector`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${fresh("the collector's token")}`,
      OTEL_BSP_SCHEDULE_DELAY: "200",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
    };
    busbar = await startChildBusbar(dataDir, environment);
    secrets.add("the first API key", busbar.file.apiKey);
    const [, key = ""] = (await readFile(join(dataDir, "encryption-keys"), "utf8")).trim().split(":");
    secrets.add("the encryption key", key);
  });

  /** `shows`: this answer is where the secret is meant to be read. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, shows = false }: { headers?: Record<string, string>; shows?: boolean } = {},
  ) {
    assert.ok(busbar);
    const answer = await busbar.call(method, path, body, headers);
    const all = `${answer.status} ${JSON.stringify([...answer.headers])} ${answer.text}`;
    if (!shows) shown.push({ of: `${method} ${path.split("?")[0]}`, text: all });
    return answer;
  }

  /** Runs a command of Busbar, with more variables at the end; what it prints is searched, too. */
  async function run(...all: (string | Record<string, string>)[]): Promise<string> {
    const args = all.filter((one) => typeof one === "string");
    const env = Object.assign({ ...environment, BUSBAR_DATA_DIR: dataDir }, ...all.slice(args.length));
    const { stdout, stderr } = await runBusbar(args, env).exited;
    shown.push({ of: `busbar ${args[0]}`, text: stdout + stderr });
    return stdout;
  }

  const json = (method: string, path: string, body?: unknown, shows = false) =>
    call(method, `${P}${path}`, body, { shows });
  const made = (answer: { status: number; text: string }): void =>
    assert.ok(answer.status < 300, answer.text);

  /** Connects like a browser, and remembers code, state, verifier and tokens. */
  async function connectByConsent(provider: string, groupRef: string): Promise<string> {
    const asked = { projectIdOrName: "default", provider, groupRef, consumerRef: "ada" };
    const begun = await call("POST", "/v1/oauth-connect", asked, { shows: true });
    secrets.add(`the token of ${provider}'s consent`, new URL(begun.text).searchParams.get("consent") ?? "");
    const browser = openConsentBrowser();
    const back = new URL(await browser.decide(await browser.leave(begun.text)));
    secrets.add(`the cookie for ${provider}'s consent`, browser.cookies().split("=")[1] ?? "");
    for (const name of ["code", "state"]) {
      secrets.add(`${provider}'s ${name}`, back.searchParams.get(name) ?? "");
    }
    const headers = { cookie: browser.cookies() };
    const page = await call("GET", `${back.pathname}${back.search}`, undefined, { headers });
    made(page);
    const id = /"connection":"([0-9a-f-]+)"/.exec(page.text)?.[1] ?? "";
    await rememberTokens(id);
    for (const { body } of sandbox.requests({ path: "/token" })) {
      const verifier = new URLSearchParams(body).get("code_verifier");
      if (verifier) secrets.add(`${provider}'s verifier`, verifier);
    }
    return id;
  }
  async function rememberTokens(id: string): Promise<void> {
    const path = `/connections/${id}?includeCreds=true&includeRefreshToken=true`;
    const { provider, oauth2AuthorizationCode: tokens } = (await json("GET", path, undefined, true)).body;
    secrets.add(`${provider}'s access token`, tokens.accessToken.token);
    secrets.add(`${provider}'s refresh token`, tokens.refreshToken.token);
  }
  async function proxied(groupRef: string, headers: Record<string, string> = {}): Promise<number> {
    assert.ok(busbar);
    const customer = { integration: "hubspot", groupRef };
    const answer = await busbar.proxied(customer, "/crm/v3/objects/contacts?limit=1", headers);
    shown.push({ of: "a proxied call", text: `${JSON.stringify([...answer.headers])} ${answer.text}` });
    return answer.status;
  }
  const write = (integration: string, object: string, body: object) =>
    call("POST", `/write/v1/projects/default/integrations/${integration}/objects/${object}`, {
      groupRef: MARKER,
      type: "create",
      ...body,
    });

  test("credentials of every kind are stored", async () => {
    for (const [provider, scopes] of [
      ["hubspot", ["oauth"]],
      ["salesforce", ["api", "refresh_token"]],
    ]) {
      const clientSecret = fresh(`${String(provider)}'s client secret`);
      made(await json("POST", "/provider-apps", { provider, scopes, clientId: "client", clientSecret }));
    }
    const typed = {
      openAI: { apiKey: fresh("an API key") },
      amplitude: { basicAuth: { username: fresh("a user name"), password: fresh("a password") } },
      gitlab: { customAuth: { token: fresh("a custom token") } },
      byClient: {
        oauth2ClientCredentials: { clientId: "client", clientSecret: fresh("a customer's client secret") },
      },
    };
    for (const [provider, credentials] of Object.entries(typed)) {
      const asked = { provider, groupRef: MARKER, consumerRef: "ada", ...credentials };
      const connection = await json("POST", "/connections:generate", asked);
      made(connection);
      made(await json("GET", `/connections/${connection.body.id}?includeCreds=true`, undefined, true));
    }
    const destinations = [
      { name: "hook", type: "webhook", metadata: { url: receiver.url } },
      {
        name: "bucket",
        type: "s3",
        metadata: { region: "eu-west-1", bucket: "events", endpointUrl: `${receiver.url}/s3` },
        secrets: {
          awsKeyId: "AKIAEXAMPLE",
          awsSecretKey: fresh("an AWS key"),
          awsSessionToken: fresh("an AWS token"),
        },
      },
    ];
    for (const destination of destinations) {
      const { body } = await json("POST", "/destinations", destination);
      const whole = await json("GET", `/destinations/${body.id}?includeSecrets=true`, undefined, true);
      if (destination.type === "webhook") secrets.add("a signing key", getSigningKey(whole.body));
      const topic = (await json("POST", "/topics", { name: destination.name })).body.id;
      made(await json("POST", "/topic-destination-routes", { topicId: topic, destinationId: body.id }));
      for (const eventType of ["connection.created", "connection.error", "write.async.succeeded"]) {
        await json("POST", "/notification-event-topic-routes", { topicId: topic, eventType });
      }
    }
  });

  test("they are used: consent, installation, writes, proxied calls, refresh, sign-in", async () => {
    made(await json("PUT", "/integrations:batch", { sourceYaml: MANIFEST }));
    const ids = [await connectByConsent("hubspot", MARKER), await connectByConsent("salesforce", MARKER)];
    for (const provider of ["hubspot", "salesforce"]) {
      const config = { content: { provider, proxy: { enabled: true } } };
      made(await json("POST", `/integrations/${provider}/installations`, { groupRef: MARKER, config }));
    }
    made(await write("hubspot", "contacts", { record: { lastname: MARKER } }));
    made(await write("salesforce", "Contact", { record: { LastName: MARKER } }));
    const later = await write("hubspot", "contacts", { record: { lastname: MARKER }, mode: "asynchronous" });
    await until(async () => {
      const { body } = await json("GET", `/operations/${later.body.operationId}`);
      return body.status === "success";
    });
    made(await json("GET", `/operations/${later.body.operationId}/logs`));
    assert.equal(await proxied(MARKER), 200);
    sandbox.hubspot.expireTokens();
    sandbox.salesforce.expireTokens();
    assert.equal(await proxied(MARKER), 200);
    for (const id of ids) {
      made(await json("GET", `/connections/${id}?refresh=force`));
      await rememberTokens(id);
    }
    const key = await json("POST", "/api-keys", { label: "web", scopes: ["frontend"] }, true);
    const headers = { "x-api-key": secrets.add("a frontend key", key.body.key) };
    made(await call("GET", `${P}/integrations`, undefined, { headers }));
    const limits = {
      scopes: ["read-only"],
      expireTime: new Date(Date.now() + 3_600_000),
      allowedAddresses: ["::1"],
    };
    const limited = await json("POST", "/api-keys", { label: "limited", ...limits }, true);
    made(limited);
    const elsewhere = { "x-api-key": secrets.add("a key for other addresses", limited.body.key) };
    assert.equal((await call("GET", `${P}/integrations`, undefined, { headers: elsewhere })).status, 403);
    const signer = await registerJwtKey({ inProject: json });
    const token = secrets.add("a customer's token", await signer.sign({ groupRef: MARKER }));
    const asCustomer = { headers: { "x-api-key": "", authorization: `Bearer ${token}` } };
    made(await call("GET", `${P}/connections`, undefined, asCustomer));
    assert.ok(busbar);
    const session = await call("POST", "/v1/sessions", { apiKey: busbar.file.apiKey }, { shows: true });
    made(session);
    const authorization = `Bearer ${secrets.add("a session's token", session.body.token)}`;
    made(await call("GET", "/v1/my-info", undefined, { headers: { "x-api-key": "", authorization } }));
    await until(() => shown.some(({ of }) => of === "a message to the webhook"));
  });

  test("mistakes are made with them: in the wrong place, cut off, refused, by a failing provider", async () => {
    const wrong = fresh("a secret in the wrong place");
    const generate = (body: unknown) => json("POST", "/connections:generate", body);
    const asked = { provider: "openAI", groupRef: "mistakes", consumerRef: "ada" };
    await generate(`{"provider": "openAI", "apiKey": "${wrong}`);
    await generate(`{"apiKey": ${wrong}}`);
    await generate({ ...asked, apiKey: { key: wrong } });
    await generate({ ...asked, apiKey: [wrong] });
    await generate({ ...asked, basicAuth: wrong });
    await generate({ ...asked, customAuth: { token: wrong } });
    await generate({ ...asked, oauth2AuthorizationCode: { accessToken: wrong } });
    await generate({ ...asked, provider: "hubspot", apiKey: wrong });
    await generate({ ...asked, provider: "gitlab", customAuth: { wrongName: wrong } });
    await generate({ ...asked, provider: "openAI", apiKey: `${wrong}\n` });
    await json("POST", "/provider-apps", { provider: "hubspot", clientId: "c", clientSecret: { wrong } });
    await json("POST", "/destinations", { name: "x", type: "s3", metadata: {}, secrets: wrong });
    await json("POST", "/destinations", {
      name: "x",
      type: "s3",
      metadata: {},
      secrets: { awsSecretKey: [wrong] },
    });
    await call("GET", `${P}/integrations`, undefined, { headers: { "x-api-key": wrong } });
    const authorization = `Bearer ${wrong}`;
    await call("GET", `${P}/integrations`, undefined, { headers: { "x-api-key": "", authorization } });
    await call("GET", `${P}/integrations?apiKey=${wrong}`);
    await call("GET", `/callbacks/v1/oauth?code=${wrong}&state=${wrong}`);
    await call("POST", "/v1/sessions", { apiKey: wrong });
    await json("GET", `/api-keys/${wrong}`);
    assert.equal(await proxied(MARKER, { "x-api-key": wrong }), 401);

    sandbox.addFault({ provider: "hubspot", path: "/oauth/2026-03/token", status: 500, count: 2 });
    const { id } = (await json("GET", `/connections?groupRef=${MARKER}&provider=hubspot`)).body[0];
    await json("GET", `/connections/${id}?refresh=force`);
    sandbox.clearFaults();
    sandbox.hubspot.revokeTokens();
    assert.equal(await proxied(MARKER), 401);
    await write("hubspot", "contacts", { record: { lastname: MARKER } });
    await until(() => shown.some(({ text }) => text.includes("connection.error")));
  });

  test("everything that can be looked up is looked up", async () => {
    const [first] = (await json("GET", "/installations")).body;
    const { body: operations } = await json(
      "GET",
      `/integrations/${first.integrationId}/installations/${first.id}/operations`,
    );
    assert.ok(busbar);
    const known: Record<string, string> = {
      projectIdOrName: "default",
      integrationId: first.integrationId,
      integrationIdOrName: first.integrationId,
      installationId: first.id,
      connectionId: first.connection.id,
      operationId: operations.results[0].id,
      revisionId: first.config.revisionId,
      orgId: busbar.file.orgId,
      provider: "hubspot",
      objectName: "contacts",
      destination: "hook",
      destinationId: "hook",
    };
    // Describing the routes calls no handler, so no service is needed.
    const readings = listRoutes({} as RouteServices).filter(({ method }) => method === "GET");
    const answers = readings.map(async ({ path, endpoint }) => {
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "unknown");
      const query = "groupRef" in (endpoint.query?.properties ?? {}) ? `?groupRef=${MARKER}` : "";
      return (await call("GET", `${address}${query}`)).status;
    });
    const answered = (await Promise.all(answers)).filter((status) => status === 200);
    assert.ok(answered.length > 30, `${answered.length} of ${answers.length}`);
  });

  test("operators look at it: metrics, traces, doctor, backup", async () => {
    assert.match((await call("GET", "/metrics")).text, /^busbar_/m);
    await until(() =>
      ["traces", "metrics"].every((kind) => shown.some(({ of }) => of === `${kind} to the collector`)),
    );
    const findings = await run("doctor", "--server", "--json");
    assert.match(findings, /"check"/);
    const file = join(await mkdtemp(join(tmpdir(), "busbar-secrets-")), "backup");
    shown.push({ of: "busbar backup", text: await run("backup", file) });
    const rows = gunzipSync(await readFile(file)).toString();
    assert.ok(rows.includes(MARKER), "the backup was searched");
    shown.push({ of: "the backup", text: rows });
  });

  test("the customer is exported and erased", async () => {
    assert.ok(busbar);
    const env = { BUSBAR_URL: new URL(busbar.file.urls.base).origin, BUSBAR_API_KEY: busbar.file.apiKey };
    const exported = await run("export", MARKER, env);
    assert.match(exported, /"kind":"connection"/);
    const erased = await json("DELETE", `/groups/${MARKER}`);
    made(erased);
    assert.equal(erased.body.done, true);
  });

  test("Busbar stops", async () => {
    assert.ok(busbar);
    busbar.signal("SIGTERM");
    exit = await busbar.exited;
    assert.equal(exit.code, 0, exit.stderr);
  });

  test("the search finds a secret as it is and in its usual encodings", () => {
    assert.equal(secrets.count(), 32);
    const secret = fresh("one to be found");
    const pair = `user:${secret}`;
    const forms = [
      secret,
      JSON.stringify({ secret }),
      Buffer.from(pair).toString("base64"),
      Buffer.from(secret),
    ];
    for (const form of [
      ...forms,
      Buffer.from(pair).toString("hex"),
      Buffer.from(`é${pair}`).toString("base64"),
    ]) {
      assert.deepEqual(secrets.readableIn(form), ["one to be found"], String(form));
    }
  });

  test("no answer and no message to a webhook holds one of them", () => {
    const found = shown.flatMap(({ of, text }) => secrets.readableIn(text).map((name) => `${of}: ${name}`));
    assert.deepEqual([...new Set(found)], []);
  });

  test("no line of the log holds one of them", () => {
    assert.match(exit.stdout, /"level":"debug"/);
    assert.deepEqual(secrets.readableIn(exit.stdout + exit.stderr), []);
  });

  test("no file of the data folder holds one of them, but for the two that are made to", async () => {
    const found: Record<string, string[]> = {};
    const marked: string[] = [];
    for await (const { path, content } of listFilesBelow(dataDir)) {
      const names = secrets.readableIn(content);
      if (names.length > 0) found[path] = names;
      if (content.includes(MARKER)) marked.push(path);
    }
    assert.deepEqual(found, {
      "bootstrap.json": ["the first API key"],
      "encryption-keys": ["the encryption key"],
    });
    assert.ok(
      marked.some((path) => path.includes("/pg_wal/")),
      "the write-ahead log was searched",
    );
    assert.ok(
      marked.some((path) => path.includes("/base/")),
      "the tables were searched",
    );
  });
});
