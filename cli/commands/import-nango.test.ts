/**
 * `busbar import nango` against a server that answers as Nango does: requests, members and refusals are those of docs/spec.yaml and of
 * packages/server/lib/controllers and formatters in https://github.com/NangoHQ/nango at 2f4c0af6 (2026-08-21). Nango itself was not called.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { runCli } from "../../tests/harness/command-line.ts";

interface Connection {
  connection_id: string;
  provider_config_key: string;
  provider: string;
  created: string;
  credentials: object;
  tags?: Record<string, string>;
  end_user?: object;
  connection_config?: object;
}

const KEY = "nango-key";
const REFUSED_KEY = "nango-key-without-scope";
/** `ConnectionFull` has every member but `end_user`; `created` is the list's only. */
const shownConnection = (one: Connection, withRefreshToken: boolean) => {
  const { created, credentials, ...rest } = one;
  const secret = { ...credentials } as Record<string, unknown>;
  if (!withRefreshToken) delete secret["refresh_token"];
  return {
    id: 1,
    errors: [],
    end_user: null,
    tags: {},
    metadata: null,
    connection_config: {},
    webhook_url_override: null,
    created_at: created.replace("Z", "+00:00"),
    updated_at: created.replace("Z", "+00:00"),
    last_fetched_at: null,
    ...rest,
    credentials: secret,
  };
};

const INTEGRATIONS: Record<string, { provider: string; credentials: object | null }> = {
  "hubspot-prod": {
    provider: "hubspot",
    credentials: {
      type: "OAUTH2",
      client_id: "client",
      client_secret: "secret",
      scopes: "oauth, crm.objects.contacts.read",
      webhook_secret: null,
    },
  },
  "stripe-api-key": { provider: "stripe-api-key", credentials: null },
  chargebee: { provider: "chargebee", credentials: null },
  "salesforce-shared": {
    provider: "salesforce",
    credentials: { type: "OAUTH2", client_id: "", client_secret: "", scopes: null, webhook_secret: null },
  },
  "netsuite-tba": { provider: "netsuite-tba", credentials: null },
  unused: { provider: "slack", credentials: null },
};

/** Serves `GET /connections`, `/connections/{id}`, `/integrations` and `/integrations/{uniqueKey}`. */
function serveNango(connections: Connection[]) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://nango");
    requests.push(`${request.method} ${url.pathname}${url.search}`);
    const answer = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const key = request.headers.authorization?.replace("Bearer ", "");
    if (key !== KEY && key !== REFUSED_KEY)
      return answer(401, { error: { code: "invalid_secret_key_format", message: "Authentication failed." } });
    const [, kind, id] = url.pathname.split("/").map(decodeURIComponent);
    if (kind === "connections" && id === undefined) {
      const [limit, page] = ["limit", "page"].map((name) => Number(url.searchParams.get(name)));
      const rows = connections.slice((page ?? 0) * (limit ?? 0), ((page ?? 0) + 1) * (limit ?? 0));
      return answer(200, {
        connections: rows.map((row) => ({
          id: 1,
          metadata: null,
          errors: [],
          end_user: null,
          tags: {},
          ...row,
          // Only one connection shows them.
          credentials: undefined,
          connection_config: undefined,
        })),
      });
    }
    if (kind === "connections") {
      if (key === REFUSED_KEY)
        return answer(403, {
          error: {
            code: "forbidden",
            message:
              "Credential and refresh options require the environment:connections:read_credentials scope",
          },
        });
      const wanted = url.searchParams.get("provider_config_key");
      const found = connections.find((one) => one.connection_id === id && one.provider_config_key === wanted);
      if (!found) return answer(404, { error: { code: "not_found", message: "Connection not found" } });
      return answer(200, shownConnection(found, url.searchParams.get("refresh_token") === "true"));
    }
    const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
    const integration = (name: string) => ({
      unique_key: name,
      provider: INTEGRATIONS[name]?.provider,
      display_name: name,
      logo: "",
      forward_webhooks: true,
      ...times,
    });
    if (id === undefined) return answer(200, { data: Object.keys(INTEGRATIONS).map(integration) });
    const { credentials = null } = INTEGRATIONS[id] ?? {};
    const shown = url.searchParams.getAll("include").includes("credentials") && { credentials };
    return answer(200, { data: { ...integration(id), ...shown } });
  });
  return { server, requests };
}

describe("importing from Nango", () => {
  let busbar: TestBusbar;
  let cwd = "";
  let connections: Connection[];
  let nango: ReturnType<typeof serveNango>;
  before(async () => {
    // The catalog's own address instead of the simulation's: nothing is called.
    const salesforce = { baseURL: "https://{{.workspace}}.my.salesforce.com" };
    busbar = await openTestBusbar({ providers: { salesforce } });
    const token = busbar.sandbox.hubspot.mintToken();
    const common = {
      created: "2026-08-01T00:00:00.000Z",
      provider_config_key: "hubspot-prod",
      provider: "hubspot",
    };
    const oauth = {
      type: "OAUTH2",
      access_token: token.accessToken,
      refresh_token: token.refreshToken,
      expires_at: "2026-08-01T01:00:00.000Z",
      raw: {},
    };
    const key = { type: "API_KEY", apiKey: "sk_moved" };
    connections = [
      {
        ...common,
        connection_id: "old",
        created: "2026-07-01T00:00:00.000Z",
        credentials: oauth,
        tags: { organization_id: "acme" },
      },
      {
        ...common,
        connection_id: "a/1",
        credentials: oauth,
        tags: { organization_id: "acme", end_user_id: "ada" },
      },
      {
        ...common,
        connection_id: "own-client",
        credentials: { ...oauth, config_override: { client_id: "theirs", client_secret: "theirs" } },
        tags: { organization_id: "initech" },
      },
      {
        ...common,
        connection_id: "s1",
        provider_config_key: "stripe-api-key",
        provider: "stripe-api-key",
        credentials: key,
        end_user: {
          id: "grace",
          display_name: "Grace",
          email: null,
          tags: null,
          organization: { id: "globex", display_name: "Globex" },
        },
      },
      {
        ...common,
        connection_id: "c1",
        provider_config_key: "chargebee",
        provider: "chargebee",
        credentials: { type: "BASIC", username: "cb_key", password: "" },
        connection_config: { subdomain: "globex-test" },
        tags: { end_user_id: "globex" },
      },
      {
        ...common,
        connection_id: "f1",
        provider_config_key: "salesforce-shared",
        provider: "salesforce",
        credentials: oauth,
        connection_config: { instance_url: "https://acme--dev.sandbox.my.salesforce.com" },
      },
      {
        ...common,
        connection_id: "n1",
        provider_config_key: "netsuite-tba",
        provider: "netsuite-tba",
        credentials: { type: "TBA", token_id: "t", token_secret: "t" },
      },
    ];
    nango = serveNango(connections);
    await once(nango.server.listen(0, "127.0.0.1"), "listening");
    cwd = await mkdtemp(join(tmpdir(), "busbar-nango-"));
    await writeFile(join(cwd, "nango.txt"), `${KEY}\n`);
    await writeFile(join(cwd, "refused.txt"), REFUSED_KEY);
  });
  after(async () => {
    nango?.server.close();
    await busbar?.stop();
    await rm(cwd, { recursive: true, force: true });
  });

  async function run(...more: string[]) {
    const from = `http://127.0.0.1:${(nango.server.address() as AddressInfo).port}`;
    const env = {
      HOME: cwd,
      BUSBAR_URL: new URL(busbar.server.urls.base).origin,
      BUSBAR_API_KEY: busbar.apiKey,
    };
    const args = ["import", "nango", "--from", from, "--from-key", "@nango.txt", "--json"];
    const { code, stdout, stderr } = await runCli([...args, ...more], { cwd, env });
    const rows: Record<string, string>[] = stdout ? JSON.parse(stdout) : [];
    return {
      code,
      printed: `${stdout}${stderr}`,
      outcomes: new Map(rows.map(({ kind, from: source, outcome }) => [`${kind} ${source}`, outcome ?? ""])),
    };
  }
  const MOVED = [
    "provider app hubspot-prod",
    "connection hubspot-prod/a/1",
    "connection stripe-api-key/s1",
    "connection chargebee/c1",
  ];
  const STRIPE = ["--provider", "stripe-api-key=stripe"];

  test("a trial says what would be copied and why something would not, and changes neither side", async () => {
    const { code, outcomes } = await run(...STRIPE, "--dry-run");
    for (const what of MOVED) assert.equal(outcomes.get(what), "would be copied", what);
    assert.equal(code, 1);
    assert.match(outcomes.get("connection hubspot-prod/old") ?? "", /^not copied: .*one connection/);
    assert.match(
      outcomes.get("connection hubspot-prod/own-client") ?? "",
      /^not copied: .*OAuth client of its own/,
    );
    assert.match(
      outcomes.get("provider app salesforce-shared") ?? "",
      /^not copied: its OAuth client belongs to Nango/,
    );
    assert.match(
      outcomes.get("connection salesforce-shared/f1") ?? "",
      /^not copied: its OAuth client belongs to Nango/,
    );
    assert.match(
      outcomes.get("connection netsuite-tba/n1") ?? "",
      /^not copied: .*--provider netsuite-tba=NAME/,
    );
    assert.ok(![...outcomes.keys()].some((what) => what.includes("unused")));
    assert.equal((await busbar.inProject("GET", "/connections")).body.length, 0);
    assert.equal((await busbar.inProject("GET", "/provider-apps")).body.length, 0);
    assert.ok(nango.requests.every((request) => request.startsWith("GET ")));
  });

  test("one customer can be copied alone, with the OAuth clients that it needs", async () => {
    const { outcomes } = await run(...STRIPE, "--dry-run", "--group", "globex");
    assert.deepEqual([...outcomes.keys()].toSorted(), [
      "connection chargebee/c1",
      "connection stripe-api-key/s1",
    ]);
  });

  test("a copied connection has tokens that are refreshed with the copied client, its customer and its account", async () => {
    const { outcomes, printed } = await run(...STRIPE);
    for (const what of MOVED) assert.equal(outcomes.get(what), "copied", printed);
    for (const secret of ["sk_moved", 'secret"', "cb_key"]) assert.ok(!printed.includes(secret), secret);
    const [app] = (await busbar.inProject("GET", "/provider-apps")).body;
    assert.deepEqual(app.scopes, ["oauth", "crm.objects.contacts.read"]);
    const shown = async (query: string) => {
      const [{ id }] = (await busbar.inProject("GET", `/connections?${query}`)).body;
      return (await busbar.inProject("GET", `/connections/${id}?includeCreds=true&includeRefreshToken=true`))
        .body;
    };
    const hubspot = await shown("groupRef=acme");
    assert.equal(hubspot.consumer.consumerRef, "ada");
    assert.equal(hubspot.providerApp.clientId, "client");
    const { credentials } = connections[1] as { credentials: { refresh_token: string } };
    assert.equal(hubspot.oauth2AuthorizationCode.refreshToken.token, credentials.refresh_token);
    const stripe = await shown("groupRef=globex&provider=stripe");
    assert.deepEqual(
      [stripe.apiKey, stripe.group.groupName, stripe.consumer.consumerName],
      ["sk_moved", "Globex", "Grace"],
    );
    const chargebee = await shown("groupRef=globex&provider=chargebee");
    assert.deepEqual([chargebee.apiKey, chargebee.providerWorkspaceRef], ["cb_key", "globex-test"]);
  });

  test("a second time changes nothing", async () => {
    const { outcomes } = await run(...STRIPE);
    for (const what of MOVED) assert.equal(outcomes.get(what), "here already");
  });

  test("a key that may not read credentials is told the scope, and one that is wrong that it is", async () => {
    const { outcomes } = await run(
      "--from-key",
      "@refused.txt",
      "--group-tag",
      "organization_id",
      "--provider",
      "netsuite-tba=stripe",
    );
    assert.match(
      outcomes.get("connection hubspot-prod/own-client") ?? "",
      /environment:connections:read_credentials/,
    );
    assert.match(
      outcomes.get("connection netsuite-tba/n1") ?? "",
      /^not copied: it has no tag "organization_id"/,
    );
    const wrong = await run("--from-key", "wrong");
    assert.deepEqual([wrong.code, /Authentication failed/.test(wrong.printed)], [1, true], wrong.printed);
  });

  test("all pages of the list are read, and a Salesforce account is found by its instance_url", async () => {
    const [, first] = connections as [Connection, Connection];
    const many = Array.from({ length: 1_001 }, (_, index) => ({
      ...first,
      connection_id: `m${index}`,
      tags: { organization_id: "many" },
    }));
    connections.push(...many);
    const shared = INTEGRATIONS["salesforce-shared"];
    if (shared) shared.credentials = { ...shared.credentials, client_id: "sf", client_secret: "sf" };
    const { outcomes, printed } = await run("--provider", "stripe-api-key=stripe");
    assert.equal([...outcomes.keys()].filter((what) => what.includes("hubspot-prod/m")).length, 1_001);
    assert.equal(
      [...outcomes.values()].filter((outcome) => outcome === "copied").length,
      3,
      printed.slice(0, 2_000),
    );
    const [{ id }] = (await busbar.inProject("GET", "/connections?provider=salesforce")).body;
    const { body } = await busbar.inProject("GET", `/connections/${id}`);
    assert.deepEqual([body.providerWorkspaceRef, body.group.groupRef], ["acme--dev.sandbox", "f1"]);
  });

  test("what the other side refuses names its address and the options for it", async () => {
    const empty = join(cwd, "empty.txt");
    await writeFile(empty, "\n");
    const origin = new URL(busbar.server.urls.base).origin;
    const env = { HOME: cwd, BUSBAR_URL: origin, BUSBAR_API_KEY: busbar.apiKey };
    const from = (...args: string[]) => runCli(["import", ...args], { cwd, env });
    const noKey = await from("nango", "--from-key", `@${empty}`);
    assert.deepEqual([noKey.code, noKey.stderr], [2, `error: --from-key: @${empty} holds no key.\n`]);
    const broken = await from("nango", "--from-key", "two\nlines");
    assert.deepEqual(
      [broken.code, /^error: --from-key: .*line/.test(broken.stderr)],
      [2, true],
      broken.stderr,
    );
    assert.doesNotMatch(broken.stderr, /two/);
    const project = ["--from-project", "default", "--from-key", "wrong"];
    const refused = await from("--from", origin, ...project);
    assert.match(refused.stderr, new RegExp(`${new URL(origin).host}: .*\\n.*--from-key`));
    assert.doesNotMatch(refused.stderr, /busbar login/);
    const noNango = await from("nango", "--from", origin, "--from-key", "k");
    assert.match(noNango.stderr, /There is no endpoint at GET \/connections.*\n.*--from names it/);
    const away = await from("--from", "http://127.0.0.1:9", ...project);
    assert.deepEqual(
      [away.code, /--from names/.test(away.stderr), /--url/.test(away.stderr)],
      [3, true, false],
    );
  });

  test("an unknown source, and an import of this API without its project, are refused with the remedy", async () => {
    const env = {
      HOME: cwd,
      BUSBAR_URL: new URL(busbar.server.urls.base).origin,
      BUSBAR_API_KEY: busbar.apiKey,
    };
    const wrong = await runCli(["import", "nangoo", "--from-key", "k"], { cwd, env });
    assert.deepEqual([wrong.code, /give nango/.test(wrong.stderr)], [2, true]);
    const without = await runCli(["import", "--from-key", "k"], { cwd, env });
    assert.deepEqual([without.code, /--from-project/.test(without.stderr)], [2, true]);
    const pair = await runCli(["import", "nango", "--from-key", "k", "--provider", "zoho"], { cwd, env });
    assert.deepEqual([pair.code, /zoho-crm=zoho/.test(pair.stderr)], [2, true]);
  });
});
