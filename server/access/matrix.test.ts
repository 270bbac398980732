/** Every route with every kind of credential, compared with the route table. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { addPerson, signIn } from "../../tests/harness/people.ts";
import { minimalBody } from "../../tests/harness/minimal-body.ts";
import { bearer, registerJwtKey, type TokenSigner } from "../../tests/harness/customer-tokens.ts";
import { createLog } from "../../ground/log.ts";
import { includesRole, type Role } from "../../ground/role.ts";
import type { Route } from "../http/endpoint.ts";
import { chooseRole } from "../http/require-role.ts";
import { listRoutes, type RouteServices } from "../routes.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { bootstrap } from "./bootstrap.ts";
import { OWNED } from "./limit-to-group.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hs
    provider: hubspot
    proxy: { enabled: true }
`;

/** Describing the routes calls no handler, so no service is needed. */
const ROUTES = listRoutes({} as RouteServices);
const DOCUMENTATION =
  "/docs /docs/reader.js /docs/guide /docs/guide/providers/{provider} /docs/guide/search /docs/guide/{page} /docs/problems /docs/problems/{slug} /llms.txt";
/** What a page in a customer's browser may call, with a key or a token; everything else is for servers or people. */
const FOR_BROWSERS = `
GET /v1/projects
GET /v1/projects/{projectIdOrName}
GET /v1/projects/{projectIdOrName}/provider-apps
GET /v1/projects/{projectIdOrName}/integrations
GET /v1/projects/{projectIdOrName}/integrations/{integrationIdOrName}
GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/revisions/{revisionId}:hydrate
GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations
POST /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations
GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}
PATCH /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}
DELETE /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}
GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/operations
GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/subscriptions
GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/records/{objectName}/{recordId}
GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/subscription-events
POST /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/subscriptions:test
POST /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/subscriptions:reconcile
PATCH /v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/config-content
GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/metadata
PUT /v1/projects/{projectIdOrName}/integrations/{integrationId}/object-metadata
GET /v1/projects/{projectIdOrName}/providers/{provider}/objects/{objectName}/metadata
PUT /v1/projects/{projectIdOrName}/providers/{provider}/object-metadata
GET /v1/projects/{projectIdOrName}/connections
POST /v1/projects/{projectIdOrName}/connections:generate
GET /v1/projects/{projectIdOrName}/connections/{connectionId}
PATCH /v1/projects/{projectIdOrName}/connections/{connectionId}
DELETE /v1/projects/{projectIdOrName}/connections/{connectionId}
PATCH /v1/projects/{projectIdOrName}/connections/{connectionId}:oauth-update
POST /v1/oauth-connect
POST /v1/custom-auth/connect
`
  .trim()
  .split("\n");
const FOR_ANYBODY = `
GET /v1/providers
GET /v1/providers/{provider}
POST /v1/sessions
GET /v1/sessions/current
GET /v1/sign-in-ways
GET /v1/destination-types
GET /v1/event-types
PUT /v1/uploads/{uploadId}
POST /subscribe/v1/projects/{projectIdOrName}/integrations/{integrationIdOrName}
POST /subscribe/v1/projects/{projectIdOrName}/integrations/{integrationIdOrName}/installations/{installationId}
POST /subscribe/v1/projects/{projectIdOrName}/providers/{provider}
GET /v1/event-files/{token}
GET /callbacks/v1/oauth
GET /callbacks/v1/oauth/begin
POST /callbacks/v1/oauth/begin
POST /callbacks/v1/oauth/retry
GET /callbacks/v1/custom-auth/begin
POST /callbacks/v1/custom-auth/begin
GET /callbacks/v1/custom-auth
POST /callbacks/v1/custom-auth
GET /callbacks/v1/sign-in/begin
GET /callbacks/v1/sign-in
GET /healthz
GET /readyz
GET /openapi.json
GET /
`
  .trim()
  .split("\n")
  .concat(DOCUMENTATION.split(" ").map((path) => `GET ${path}`));
/** Name the group or person themselves, belong to the project, or are words of the provider's. */
const KNOWN =
  "groupRef consumerRef projectIdOrName projectId integrationId integrationIdOrName revisionId providerAppId sessionId provider objectName recordId providerWorkspaceRef".split(
    " ",
  );
/** Enough for whoever may call to get past the credentials, too little for anything to happen. */
const HARMLESS = {
  projectIdOrName: "default",
  groupRef: "acme",
  consumerRef: "ada",
  updateMask: ["nothing"],
  connection: {},
  installation: {},
  org: {},
  email: "nobody@example.com",
  role: "viewer",
};
const MISSING = "00000000-0000-7000-8000-000000000000";

/** `in`: past the checks of who may, whatever comes then. */
type Outcome = "in" | 401 | 403 | 404;
const getName = ({ method, path }: Route) => `${method} ${path}`;
const namesRow = ({ path }: Route) => Object.keys(OWNED).some((name) => path.includes(`{${name}}`));
const namesGroup = ({ endpoint }: Route) =>
  [endpoint.query, endpoint.body].some(
    (schema) => "groupRef" in ((schema as { properties?: object } | undefined)?.properties ?? {}),
  );
const inOrganization = (route: Route) =>
  route.path.includes("{orgId}") || getName(route) === "POST /v1/projects";

/** What the roles of people say; of keys, that no role above the editor's is theirs. */
const withRole =
  (has: Role) =>
  (route: Route): Outcome => {
    if (isNotForThem(route)) return 403;
    const needed = ROLE_CHECKED_BY_HANDLER[getName(route)] ?? chooseRole(route) ?? "viewer";
    return includesRole(has, needed) ? "in" : 403;
  };

const ROLE_CHECKED_BY_HANDLER: Record<string, Role> = {
  "POST /v1/projects": "editor",
  "POST /v1/claimed-domains": "owner",
  "POST /v1/orgs/{orgId}/memberships": "owner",
  "DELETE /v1/orgs/{orgId}/memberships/{builderId}": "owner",
};

/** The invited address is another person's; an upload belongs to the project of a key. */
const isNotForThem = (route: Route) =>
  getName(route) === "POST /v1/invites:accept" || route.path.endsWith("/generate-upload-url");

const isForOwners = (route: Route) => chooseRole(route) === "owner";

/** What the table says: for each credential, what becomes of a call of this route on `default` and its group `acme`. */
const EXPECTED: Record<string, (route: Route) => Outcome> = {
  "no credential": () => 401,
  "an unknown key": () => 401,
  "an expired token": () => 401,
  "a token of the wrong algorithm": () => 401,
  "an unsigned token": () => 401,
  "another organisation's key": (route) => {
    const { audience, endpoint } = route;
    return audience === "person" || endpoint.inProject || inOrganization(route) ? 403 : "in";
  },
  "another project's key": (route) => {
    const { audience, endpoint } = route;
    // Of the same organisation. It may make a project's first key only, and this one has some.
    if (getName(route) === "POST /v1/projects/{projectIdOrName}/api-keys" || isForOwners(route)) return 403;
    return audience === "person" || (endpoint.inProject && audience !== "organization") ? 403 : "in";
  },
  "a frontend key": ({ audience }) => (audience === "frontend" ? "in" : 403),
  "a key for writes and the proxy": ({ audience }) => (audience === "write" ? "in" : 403),
  "a key that only reads": (route) => {
    const changes = route.method !== "GET" || route.path.endsWith("/generate-upload-url");
    if (route.audience === "person" || (changes && chooseRole(route) === undefined)) return 403;
    return withRole("viewer")(route);
  },
  "a customer's token": ({ audience }) => (audience === "frontend" ? "in" : 403),
  "the token of another group": (route) => {
    if (route.audience !== "frontend" || (namesGroup(route) && !namesRow(route))) return 403;
    return namesRow(route) ? 404 : "in";
  },
  "a customer's token of another project": ({ audience, endpoint }) =>
    audience !== "frontend" || endpoint.inProject ? 403 : "in",
  "a full key": (route) => (route.audience === "person" || isForOwners(route) ? 403 : "in"),
  "a viewer": withRole("viewer"),
  "somebody of support": withRole("support"),
  "an editor": withRole("editor"),
  "an owner": withRole("owner"),
  "a person of another organisation": (route) => {
    const name = getName(route);
    if (isNotForThem(route) || name in ROLE_CHECKED_BY_HANDLER) return 403;
    return route.endpoint.inProject || inOrganization(route) ? 403 : "in";
  },
};

const busbar = await shareTestBusbar();

describe("access to every route", () => {
  let signer: TokenSigner;
  let sentHeaders: Record<string, Record<string, string>>;
  let values: Record<string, string>;
  before(async () => {
    signer = await registerJwtKey(busbar);
    await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    const connection = await busbar.inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef: "acme",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: busbar.sandbox.hubspot.staticToken } },
    });
    const installation = await busbar.inProject("POST", "/integrations/hs/installations", {
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
      orgId: busbar.server.bootstrap?.orgId ?? "",
    };
    sentHeaders = await credentials();
  });

  async function credentials(): Promise<typeof sentHeaders> {
    const { connectionString } = busbar;
    const database = await openDatabase({ connectionString, log: createLog("silent") });
    const other = await bootstrap(database.queries, { org: "Other", project: "other" });
    await database.close();
    await busbar.call("POST", "/v1/projects", { name: "second", appName: "Second", orgId: values["orgId"] });
    const second = await busbar.call("POST", "/v1/projects/second/api-keys", { label: "second" });
    const keyOfSecond = { "x-api-key": second.body.key };
    const signerOfSecond = await registerJwtKey({
      inProject: (method, path, body) => busbar.call(method, `/v1/projects/second${path}`, body, keyOfSecond),
    });
    const frontend = await busbar.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] });
    const scoped = async (...scopes: string[]) => {
      const made = await busbar.inProject("POST", "/api-keys", { label: scopes.join(), scopes });
      return { "x-api-key": made.body.key };
    };
    const now = Math.floor(Date.now() / 1_000);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = encode({ groupRef: "acme", consumerRef: "ada", iat: now, exp: now + 60 });
    const hs256 = `${encode({ alg: "HS256", kid: signer.kid })}.${claims}`;
    const signature = createHmac("sha256", signer.publicKeyPem).update(hs256).digest("base64url");
    return {
      "no credential": { "x-api-key": "" },
      "an unknown key": { "x-api-key": "bb_nobody" },
      "an expired token": bearer(await signer.sign({ iat: now - 500, exp: now - 10 })),
      "a token of the wrong algorithm": bearer(`${hs256}.${signature}`),
      "an unsigned token": bearer(`${encode({ alg: "none", kid: signer.kid })}.${claims}.`),
      "another organisation's key": { "x-api-key": other.apiKey },
      "another project's key": keyOfSecond,
      "a frontend key": { "x-api-key": frontend.body.key },
      "a key for writes and the proxy": await scoped("write", "proxy"),
      "a key that only reads": await scoped("read-only"),
      "a customer's token": bearer(await signer.sign()),
      "the token of another group": bearer(await signer.sign({ groupRef: "globex", consumerRef: "ada" })),
      "a customer's token of another project": bearer(await signerOfSecond.sign()),
      "a full key": { "x-api-key": busbar.apiKey },
      "a viewer": await signedIn("viewer"),
      "somebody of support": await signedIn("support"),
      "an editor": await signedIn("editor"),
      "an owner": await signedIn("owner"),
      "a person of another organisation": await signIn(busbar, other.apiKey),
    };
  }

  const signedIn = async (role: Role) => (await addPerson(busbar, role)).headers;

  const getAddress = ({ path }: Route, known = values) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? MISSING);

  /** Who may delete is asked about what is not there; who may not, about what is. */
  async function tryCall(route: Route, credential: string, expected: Outcome): Promise<Outcome> {
    const deletes = route.method === "DELETE" && expected === "in";
    const known = deletes ? { projectIdOrName: "default", orgId: values["orgId"] ?? "" } : values;
    const query = "groupRef" in (route.endpoint.query?.properties ?? {}) ? "?groupRef=acme" : "";
    const hasBody = route.endpoint.body !== undefined;
    const { status, body } = await busbar.call(
      route.method,
      getAddress(route, known) + query,
      hasBody
        ? minimalBody(route.endpoint.body, {
            ...HARMLESS,
            orgId: values["orgId"],
            parentId: values["orgId"],
          })
        : undefined,
      sentHeaders[credential],
    );
    assert.ok(status < 500 || status === 501, `${credential}: ${getName(route)}: ${JSON.stringify(body)}`);
    if (status === 404 && expected === "in") return "in";
    return status === 401 || status === 403 || status === 404 ? status : "in";
  }

  /** Calls that would take away the project or the session. */
  const FINAL = ["DELETE /v1/projects/{projectIdOrName}", "DELETE /v1/sessions/others"];
  const guarded = ROUTES.filter((route) => route.audience !== "public" && !FINAL.includes(getName(route)));
  for (const [credential, chooseExpected] of Object.entries(EXPECTED)) {
    test(`${credential}: every guarded route answers as the table says`, async () => {
      const expected: Record<string, Outcome> = {};
      const actual: Record<string, Outcome> = {};
      for (const route of guarded) {
        const name = getName(route);
        expected[name] = chooseExpected(route);
        actual[name] = await tryCall(route, credential, expected[name]);
      }
      assert.deepEqual(actual, expected);
      for (const path of [
        `/connections/${values["connectionId"]}`,
        `/integrations/hs/installations/${values["installationId"]}`,
      ]) {
        const kept = await busbar.inProject("GET", path);
        assert.equal(kept.status, 200, "what may not be deleted is still there");
      }
    });
  }

  test("callers from browsers and without a credential may call the listed routes only", () => {
    const open = (audience: string) =>
      ROUTES.filter((route) => route.audience === audience)
        .map(getName)
        .toSorted();
    assert.deepEqual(open("frontend"), FOR_BROWSERS.toSorted());
    assert.deepEqual(open("public"), FOR_ANYBODY.toSorted());
  });

  test("the proxy accepts keys of the project with the scope full or proxy only", async () => {
    const seen: Record<string, number> = {};
    const countSent = () => busbar.sandbox.requests({ path: "/crm/v3/objects/contacts?limit=1" }).length;
    for (const [credential, headers] of Object.entries(sentHeaders)) {
      const before = countSent();
      const { status } = await fetch(`${busbar.server.urls.proxy}/crm/v3/objects/contacts?limit=1`, {
        headers: {
          "x-amp-proxy-version": "1",
          "x-amp-project-id": busbar.projectId,
          "x-amp-integration-name": "hs",
          "x-amp-group-ref": "acme",
          ...headers,
        },
      });
      seen[credential] = status;
      assert.equal(countSent() - before, status === 200 ? 1 : 0, credential);
    }
    assert.deepEqual(seen, {
      "no credential": 401,
      "an unknown key": 401,
      "an expired token": 401,
      "a token of the wrong algorithm": 401,
      "an unsigned token": 401,
      "another organisation's key": 403,
      "another project's key": 403,
      "a frontend key": 403,
      "a key for writes and the proxy": 200,
      "a key that only reads": 403,
      "a customer's token": 401,
      "the token of another group": 401,
      "a customer's token of another project": 401,
      "a full key": 200,
      "a viewer": 401,
      "somebody of support": 401,
      "an editor": 401,
      "an owner": 401,
      "a person of another organisation": 401,
    });
  });

  test("frontend routes name customers' rows by parameters that the group limit checks", () => {
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
      const response = await fetch(`${new URL(busbar.server.urls.base).origin}${getAddress(route)}`, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": route.method,
          "access-control-request-headers":
            "content-type,x-api-key,authorization,x-amp-client,x-amp-client-version",
        },
      });
      assert.equal(response.status, 204, getName(route));
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      assert.ok(response.headers.get("access-control-allow-methods")?.includes(route.method), getName(route));
      await response.arrayBuffer();
    }
  });
});
