/** Finds what depends on a resource, for the question before its deletion: counts, and the first names of each kind. */
import { encodeStep } from "../http/api.ts";
import { requireObject, requireObjects, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import { escapeUnsafe } from "../output/printable.ts";
import type { Connected } from "../settings/connect.ts";
import { findInstallation } from "./find-installation.ts";
import { listPages, type Filters } from "./resource.ts";

/** Lists phrases such as "2 connections (hubspot of acme, hubspot of globex)"; none of what there is not. */
type ListDependents = (deps: Connected, name: string, filters: Filters) => Promise<string[]>;

const MAX_NAMED = 5;
/** More of a kind are counted as "at least". */
const MAX_COUNTED = 1_000;
/** Installations of other integrations among which those are searched that use the same connections. */
const MAX_COMPARED = 20_000;

export const listIntegrationDependents: ListDependents = async (deps, name) => {
  const installations = await listInstallations(deps, { integration: name });
  const [first] = installations;
  const provider = getTextAt(first, "connection.provider");
  const others = provider ? await listInstallations(deps, { provider }, MAX_COMPARED) : [];
  const isOther = (one: JsonObject): boolean =>
    getTextAt(one, "integrationId") !== getTextAt(first, "integrationId");
  const kept = listConnectionIds(others.filter(isOther));
  return [
    count("installation", installations.map(groupName), "of "),
    count("connection", listUniqueConnections(installations, kept)),
  ].flat();
};

export const listInstallationDependents: ListDependents = async (deps, name, { integration }) => {
  const path = await findInstallation(deps, { installation: name, integration });
  const installation = requireObject(await deps.inProject("GET", path));
  const isNamed = (one: JsonObject): boolean => getTextAt(one, "id") === getTextAt(installation, "id");
  const connectionId = getTextAt(installation, "connection.id");
  // A connection belongs to one customer.
  const ofCustomer = await listInstallations(deps, { groupRef: groupName(installation) });
  const sharers = ofCustomer.filter(
    (one) => !isNamed(one) && getTextAt(one, "connection.id") === connectionId,
  );
  if (sharers.length === 0) return count("connection", listUniqueConnections([installation], new Set()));
  return [`its connection is kept, because ${nameFirst(sharers.map(nameInstallation))} uses it`];
};

export const listGroupDependents: ListDependents = async (deps, name) => {
  const connections = requireObjects(
    await deps.inProject("GET", "/connections", { query: { groupRef: name } }),
  );
  const installations = await listInstallations(deps, { groupRef: name });
  const people = connections.map((one) => getTextAt(one, "consumer.consumerRef") ?? "");
  return [
    count("installation", installations.map(getIntegrationName)),
    count(
      "connection",
      connections.map((one) => `${getTextAt(one, "provider")} of ${getTextAt(one, "consumer.consumerRef")}`),
    ),
    count("person", people),
  ].flat();
};

export const listDestinationDependents: ListDependents = async (deps, name) => {
  const destination = await deps.inProject("GET", `/destinations/${encodeStep(name)}`);
  const [routes, topics] = await Promise.all([
    listAll(deps, "/topic-destination-routes"),
    listAll(deps, "/topics"),
  ]);
  const names = new Map(topics.map((one) => [getTextAt(one, "id"), getTextAt(one, "name") ?? ""]));
  const mine = routes.filter((one) => getTextAt(one, "destinationId") === getTextAt(destination, "id"));
  const waiting = Number(getValueAt(destination, "health.waiting") ?? 0);
  return [
    count(
      "route",
      mine.map((one) => `from the topic ${names.get(getTextAt(one, "topicId"))}`),
    ),
    waiting > 0
      ? [`${waiting} waiting ${waiting === 1 ? "delivery" : "deliveries"}, which are not sent`]
      : [],
  ].flat();
};

export const listTopicDependents: ListDependents = async (deps, name) => {
  const [topics, events, routes, destinations] = await Promise.all([
    listAll(deps, "/topics"),
    listAll(deps, "/notification-event-topic-routes"),
    listAll(deps, "/topic-destination-routes"),
    listAll(deps, "/destinations"),
  ]);
  const topic =
    topics.find((one) => getTextAt(one, "id") === name) ??
    topics.find((one) => getTextAt(one, "name") === name);
  const isMine = (one: JsonObject): boolean => getTextAt(one, "topicId") === getTextAt(topic, "id");
  const names = new Map(destinations.map((one) => [getTextAt(one, "id"), getTextAt(one, "name") ?? ""]));
  return count("route", [
    ...events.filter(isMine).map((one) => getTextAt(one, "eventType") ?? ""),
    ...routes.filter(isMine).map((one) => `to ${names.get(getTextAt(one, "destinationId"))}`),
  ]);
};

export const listProjectDependents: ListDependents = async (deps, name) => {
  const inProject: Connected["inProject"] = (method, path, options) =>
    deps.api(method, `/v1/projects/${encodeStep(name)}${path}`, options);
  const project = { ...deps, inProject };
  const [installations, connections, integrations, destinations, keys] = await Promise.all([
    listInstallations(project, {}),
    listAll(project, "/connections"),
    listAll(project, "/integrations"),
    listAll(project, "/destinations"),
    listAll(project, "/api-keys"),
  ]);
  return [
    count("installation", installations.map(nameInstallation)),
    count(
      "integration",
      integrations.map((one) => getTextAt(one, "name") ?? ""),
    ),
    count("connection", connections.map(nameConnection)),
    count(
      "destination",
      destinations.map((one) => getTextAt(one, "name") ?? ""),
    ),
    count(
      "API key",
      keys.map((one) => getTextAt(one, "label") ?? ""),
    ),
  ].flat();
};

/** Describes dependents, or says that they are not known: the question is asked all the same. */
export async function describeDependents(
  list: ListDependents | undefined,
  ...[deps, name, filters]: Parameters<ListDependents>
): Promise<string> {
  if (!list) return "";
  try {
    const found = await list(deps, name, filters);
    return found.length > 0 ? `\nNow that is: ${found.join("; ")}.` : "";
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return `\nWhat that is now cannot be listed: ${error.message}.`;
  }
}

const listAll = async (deps: Connected, path: string): Promise<JsonObject[]> =>
  requireObjects(await deps.inProject("GET", path));

const listInstallations = (
  deps: Connected,
  query: Record<string, string>,
  limit = MAX_COUNTED,
): Promise<JsonObject[]> => listPages(deps, "/installations:search", { limit, query });

const groupName = (one: JsonObject): string => getTextAt(one, "group.groupRef") ?? "";
const getIntegrationName = (one: JsonObject): string => getTextAt(one, "integrationName") ?? "";
const nameInstallation = (one: JsonObject): string => `${getIntegrationName(one)} of ${groupName(one)}`;
const nameConnection = (one: JsonObject): string => `${getTextAt(one, "provider")} of ${groupName(one)}`;

const listConnectionIds = (installations: JsonObject[]): Set<string | undefined> =>
  new Set(installations.map((one) => getTextAt(one, "connection.id")));

/** Names the connections of installations, each once, without those that are kept. */
function listUniqueConnections(installations: JsonObject[], kept: Set<string | undefined>): string[] {
  const names = new Map<string | undefined, string>();
  for (const one of installations) {
    const id = getTextAt(one, "connection.id");
    if (!kept.has(id)) names.set(id, `${getTextAt(one, "connection.provider")} of ${groupName(one)}`);
  }
  return [...names.values()];
}

function count(singular: string, names: string[], word = ""): string[] {
  const unique = singular === "person" ? [...new Set(names)] : names;
  if (unique.length === 0) return [];
  const plural = singular === "person" ? "people" : `${singular}s`;
  const atLeast = unique.length >= MAX_COUNTED ? "at least " : "";
  return [
    `${atLeast}${unique.length} ${unique.length === 1 ? singular : plural} (${word}${nameFirst(unique)})`,
  ];
}

function nameFirst(names: string[]): string {
  const sorted = names.toSorted().map(escapeUnsafe);
  const more = sorted.length - MAX_NAMED;
  return sorted.slice(0, MAX_NAMED).join(", ") + (more > 0 ? `, and ${more} more` : "");
}
