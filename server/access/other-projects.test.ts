/** Every route that names a row, asked about a row of another project by somebody who may ask about their own. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar, type Answer, type TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { registerJwtKey } from "../../tests/harness/customer-tokens.ts";
import { minimalBody } from "../../tests/harness/minimal-body.ts";
import { until } from "../../tests/harness/until.ts";
import { drawRoute } from "../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../tests/harness/deliveries/sink.ts";
import { secondProject } from "../../tests/harness/second-project.ts";
import type { Route } from "../http/endpoint.ts";
import { listRoutes, type RouteServices } from "../routes.ts";

type Ids = Record<string, string>;

const listMembers = (schema: unknown): string[] =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
/** Parameters of the path, the query and the body whose values are ids of the project's rows. */
const listRowIds = ({ path, endpoint }: Route, ids: Ids): string[] => [
  ...new Set(
    [...path.matchAll(/\{(\w+)\}/g)]
      .map(([, name = ""]) => name)
      .concat(listMembers(endpoint.query), listMembers(endpoint.body))
      // The member of this name is a customer's credential.
      .filter((name) => name in ids && !(name === "apiKey" && endpoint.operationId === "generateConnection")),
  ),
];

/** What would happen if the row were found. */
const CHANGE = {
  name: "taken",
  apiKey: { label: "taken" },
  jwtKey: { label: "taken" },
  connection: { providerWorkspaceRef: "taken" },
  destination: { name: "taken" },
  providerApp: { clientId: "taken" },
  installation: { config: { content: { proxy: { enabled: false } } } },
  objects: ["contacts"],
  status: "all",
  since: "2026-01-01T00:00:00Z",
  eventType: "connection.created",
  method: "GET",
  path: "/crm/v3/objects/contacts",
  action: "write",
  changes: [{ op: "add", path: "/deletionSettings", value: { enabled: true } }],
  config: { content: { provider: "hubspot" } },
};
/** Members that mean something else in an operation. */
const OTHER: Record<string, object> = { testSubscription: { eventType: "create" } };
const MASKS: Record<string, string> = {
  connection: "providerWorkspaceRef",
  destination: "name",
  providerApp: "clientId",
  installation: "config.content.proxy.enabled",
};

/** These lists look at the installation alone: whose integration the path names changes nothing. */
const BY_INSTALLATION = new Set(["listOperations", "listProxyCalls"]);

/** A row that is not there: no such address, nothing to put into another row, nothing in a list. */
const isAbsent = ({ status, body }: Answer): boolean =>
  status === 404 || status === 422 || (status === 200 && (body.results ?? body).length === 0);

const sink = await openSink();
const busbar = await shareTestBusbar();
after(() => sink.close());

describe("a row of another project", () => {
  let second: TestBusbar;
  let theirs: Ids;
  let ours: Ids;
  let about: Route[];
  before(async () => {
    second = await secondProject(busbar);
    theirs = await stock(busbar);
    ours = await stock(second);
    // Describing the routes calls no handler, so no service is needed.
    about = listRoutes({} as RouteServices).filter(
      (route) =>
        route.path.includes("/{projectIdOrName}/") &&
        // Receivers of pushes know the caller by the provider's signature alone.
        route.audience !== "public" &&
        listRowIds(route, theirs).length > 0,
    );
  });

  /** A row of each kind; their ids by the parameters that name them. */
  async function stock(project: TestBusbar): Promise<Ids> {
    const first = async (path: string) => (await project.inProject("GET", path)).body[0];
    const acme = await connectCustomer(project, { provider: "hubspot", objects: ["contacts"] });
    const { connectionId, installationId } = acme;
    const { id: destination, topicId } = await drawRoute(project, `${sink.url}/x`, ["write.async.done"]);
    const record = { email: `${destination}@example.com` };
    const { operationId } = await acme.succeed("contacts", { type: "create", mode: "asynchronous", record });
    // Not earlier: a delivery changes until it is delivered, and the answers about it with it.
    const delivery = await until(async () => {
      const path = `/destinations/${destination}/deliveries?status=delivered`;
      return (await project.inProject("GET", path)).body.results?.[0];
    });
    const { id: integrationId, latestRevision } = await first("/integrations");
    // A refused request, which is listed with the key soon after its answer.
    await project.inProject("POST", "/topics", {});
    await until(async () => (await project.inProject("GET", "/requests")).body.results.length > 0);
    const app = { provider: "hubspot", clientId: "client", clientSecret: "secret", scopes: ["oauth"] };
    return {
      integrationId,
      integrationIdOrName: integrationId,
      revisionId: latestRevision.id,
      connectionId,
      installationId,
      operationId,
      destination,
      destinationId: destination,
      topicId,
      deliveryId: delivery.id,
      routeId: (await first("/topic-destination-routes")).id,
      apiKey: (await first("/api-keys")).id,
      keyId: (await registerJwtKey(project)).kid,
      providerAppId: (await project.inProject("POST", "/provider-apps", app)).body.id,
    };
  }

  /** `filtered`: lists are asked for what belongs to the group and these rows; otherwise for everything. */
  async function ask(
    by: TestBusbar,
    { method, path, endpoint }: Route,
    ids: Ids,
    filtered = true,
  ): Promise<Answer> {
    const values: Ids = { projectIdOrName: "default", provider: "hubspot", objectName: "contacts", ...ids };
    const address = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? "");
    const query = Object.entries({ groupRef: "acme", ...ids }).filter(
      ([name]) => filtered && listMembers(endpoint.query).includes(name),
    );
    const members = listMembers(endpoint.body);
    const mask = Object.keys(MASKS).find((name) => members.includes(name)) ?? "";
    const chosen = {
      ...ids,
      ...CHANGE,
      ...OTHER[endpoint.operationId],
      updateMask: [MASKS[mask] ?? "label"],
    };
    const body = endpoint.body && minimalBody(endpoint.body, chosen);
    return by.call(method, `${address}?${new URLSearchParams(query).toString()}`, body);
  }

  test("appears in no list and in no answer about the own project", async () => {
    const reads = listRoutes({} as RouteServices).filter(
      ({ method, path }) => method === "GET" && path.includes("/{projectIdOrName}/"),
    );
    for (const route of reads)
      for (const filtered of [true, false]) {
        const { text } = await ask(second, route, ours, filtered);
        for (const id of Object.values(theirs)) assert.ok(!text.includes(id), `${route.path}: ${text}`);
      }
  });

  test("is 404, and is not changed", async () => {
    const shown = async (): Promise<string[]> => {
      const reads = about.filter(({ method }) => method === "GET").map((route) => ask(busbar, route, theirs));
      // These calls are uses of the key, too.
      const lastUse = /"lastUsedTime":"[^"]*",/g;
      return (await Promise.all(reads)).flatMap(({ status, text }) =>
        status === 200 ? [text.replace(lastUse, "")] : [],
      );
    };
    const before = await shown();
    const found: string[] = [];
    for (const route of about) {
      const rows = listRowIds(route, theirs).filter(
        (name) => name !== "integrationId" || !BY_INSTALLATION.has(route.endpoint.operationId),
      );
      for (const name of rows) {
        const answer = await ask(second, route, { ...ours, [name]: theirs[name] ?? "" });
        if (!isAbsent(answer)) found.push(`${name}: ${route.method} ${route.path}: ${answer.text}`);
      }
      const answer = await ask(second, route, theirs);
      if (!isAbsent(answer)) found.push(`all: ${route.method} ${route.path}: ${answer.text}`);
    }
    assert.deepEqual(found, []);
    assert.deepEqual(await shown(), before);
  });
});
