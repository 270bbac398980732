/** Every route with every kind of credential, compared with the route table. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { bearer, registerJwtKey, type TokenSigner } from "../../tests/harness/customer-tokens.ts";
import { createLog } from "../ground/log.ts";
import type { Route } from "../http/endpoint.ts";
import { routes, type Services } from "../routes.ts";
import { openDatabase } from "../store/database.ts";
import { bootstrap } from "./bootstrap.ts";
import { OWNED } from "./confine.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hs
    provider: hubspot
    proxy: { enabled: true }
`;

/** Describing the routes calls no handler, so no service is needed. */
const ROUTES = routes({} as Services);
/** Name the group or person themselves, belong to the project, or are words of the provider's. */
const KNOWN =
  "groupRef consumerRef projectIdOrName projectId integrationId integrationIdOrName revisionId providerAppId sessionId provider objectName providerWorkspaceRef".split(
    " ",
  );
/** Enough for whoever may call to get past the credentials, too little for anything to happen. */
const HARMLESS = {
  projectIdOrName: "default",
  updateMask: ["nothing"],
  connection: {},
  installation: {},
  org: {},
  email: "nobody@example.com",
};
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

describe("who may call what", () => {
  let on: TestBusbar;
  let signer: TokenSigner;
  let otherKey: string;
  let frontendKey: string;
  let values: Record<string, string>;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
    signer = await registerJwtKey(on);
    frontendKey = (await on.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] })).body.key;
    const database = await openDatabase({ connectionString: on.connectionString, log: createLog("silent") });
    const other = await bootstrap(database.queries, { org: "Other", project: "other" });
    otherKey = other.apiKey;
    await database.close();
    await on.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    const connection = await on.inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef: "acme",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: on.sandbox.hubspot.staticToken } },
    });
    const installation = await on.inProject("POST", "/integrations/hs/installations", {
      groupRef: "acme",
      config: { content: { provider: "hubspot" } },
    });
    assert.equal(installation.status, 201, installation.text);
    values = {
      projectIdOrName: "default",
      integrationId: "hs",
      integrationIdOrName: "hs",
      provider: "hubspot",
      objectName: "contacts",
      connectionId: connection.body.id,
      installationId: installation.body.id,
      orgId: on.busbar.bootstrap?.orgId ?? "",
    };
  });

  const addressOf = (route: Route) =>
    route.path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => values[name] ?? "00000000-0000-7000-8000-000000000000",
    );
  const call = (route: Route, headers: Record<string, string>) => {
    const body = route.method === "GET" || route.method === "DELETE" ? undefined : HARMLESS;
    return on.call(route.method, addressOf(route), body, headers);
  };
  /** Reading is harmless; what would delete the fixtures is asked last and by nobody who may. */
  const guarded = ROUTES.filter(({ audience }) => audience !== "public");
  const harmless = (route: Route) => route.method !== "DELETE";

  test("without a credential, with an expired or a wrongly signed token every guarded route answers 401", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { groupRef: "acme", consumerRef: "ada", iat: now, exp: now + 60 };
    const unsigned = `${encode({ alg: "HS256", kid: signer.kid })}.${encode(claims)}`;
    const signature = createHmac("sha256", signer.publicKeyPem).update(unsigned).digest("base64url");
    const bad = {
      none: { "x-api-key": "" },
      unknown: { "x-api-key": "bb_nobody" },
      expired: bearer(await signer.sign({ iat: now - 500, exp: now - 10 })),
      algorithm: bearer(`${unsigned}.${signature}`),
    };
    for (const [what, headers] of Object.entries(bad)) {
      for (const route of guarded) {
        const answer = await call(route, headers);
        assert.equal(answer.status, 401, `${what}: ${nameOf(route)}: ${answer.text}`);
      }
    }
  });

  test("another organisation's key opens nothing of this project", async () => {
    for (const route of guarded.filter(
      ({ path, endpoint }) => endpoint.inProject || path.includes("{orgId}"),
    )) {
      const answer = await call(route, { "x-api-key": otherKey });
      const allowed = route.path.includes("{orgId}") ? [403, 404] : [403];
      assert.ok(allowed.includes(answer.status), `${nameOf(route)}: ${answer.text}`);
    }
  });

  test("a frontend key and a customer's token are refused exactly where the table says so", async () => {
    const browsers = { "frontend key": { "x-api-key": frontendKey }, token: bearer(await signer.sign()) };
    for (const [what, headers] of Object.entries(browsers)) {
      for (const route of guarded) {
        if (route.audience === "frontend" && !harmless(route)) continue;
        const { status, text } = await call(route, headers);
        if (route.audience === "frontend") {
          assert.ok(status !== 401 && status !== 403, `${what}: ${nameOf(route)}: ${text}`);
        } else assert.equal(status, 403, `${what}: ${nameOf(route)}: ${text}`);
      }
    }
  });

  test("the token of another group finds no row of this one, and may not name this one", async () => {
    const headers = bearer(await signer.sign({ groupRef: "globex", consumerRef: "eve" }));
    for (const route of guarded.filter(({ audience }) => audience === "frontend")) {
      const owned = Object.keys(OWNED).some((name) => route.path.includes(`{${name}}`));
      if (owned) assert.equal((await call(route, headers)).status, 404, nameOf(route));
      if ("groupRef" in (route.endpoint.query?.properties ?? {})) {
        const asked = await on.call(route.method, `${addressOf(route)}?groupRef=acme`, undefined, headers);
        assert.equal(asked.status, owned ? 404 : 403, `${nameOf(route)}: ${asked.text}`);
      }
    }
  });

  test("frontend routes name customers' rows by parameters that the confinement knows", () => {
    const known = new Set(Object.keys(OWNED).concat(KNOWN));
    for (const { path, endpoint, audience } of ROUTES.filter((route) => route.audience === "frontend")) {
      const body = (endpoint.body as { properties?: object } | undefined)?.properties ?? {};
      const names = [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
        ...[...Object.keys(endpoint.query?.properties ?? {}), ...Object.keys(body)].filter((name) =>
          /(Id|Ref|IdOrName|Ids|Refs)$/.test(name),
        ),
      ];
      for (const name of names) assert.ok(known.has(name), `${audience} ${path}: ${name}`);
    }
  });

  test("a preflight is answered for every route without a credential", async () => {
    for (const route of ROUTES) {
      const response = await fetch(`${new URL(on.busbar.urls.base).origin}${addressOf(route)}`, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": route.method,
          "access-control-request-headers":
            "content-type,x-api-key,authorization,x-amp-client,x-amp-client-version",
        },
      });
      assert.equal(response.status, 204, nameOf(route));
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      assert.ok(response.headers.get("access-control-allow-methods")?.includes(route.method), nameOf(route));
      await response.arrayBuffer();
    }
  });
});
