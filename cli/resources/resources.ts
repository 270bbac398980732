/** The resources of `list`, `get` and `delete`, one entry each. */
import { suggestName } from "../../ground/closest.ts";
import { UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { requireObject, requireObjects, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import type { Connected } from "../settings/connect.ts";
import { AUDIT } from "./audit.ts";
import { GROUPS } from "./groups.ts";
import { findInstallation } from "./find-installation.ts";
import { INTEGRATIONS } from "./integrations.ts";
import { nameSource, withNames } from "./names.ts";
import {
  joinByComma,
  markExtra,
  getAt,
  id,
  listAt,
  listPages,
  findIn,
  findAndRemove,
  prose,
  removeAt,
  status,
  text,
  time,
  type Resource,
} from "./resource.ts";
import {
  listDestinationDependents,
  listInstallationDependents,
  listProjectDependents,
  listTopicDependents,
} from "./dependents.ts";
import { PROVIDERS } from "./providers.ts";
import { REVISIONS } from "./revisions.ts";
import { EVENTS, SUBSCRIPTION_EVENTS, SUBSCRIPTIONS } from "./subscriptions.ts";

const PROJECTS: Resource = {
  plural: "projects",
  singular: "project",
  columns: { NAME: text("name"), APP: text("appName"), CREATED: time("createTime"), ID: id("id") },
  list: async ({ api }) => requireObjects(await api("GET", "/v1/projects")),
  get: async ({ api }, name) => requireObject(await api("GET", `/v1/projects/${encodeStep(name)}`)),
  remove: async ({ api }, name) => void (await api("DELETE", `/v1/projects/${encodeStep(name)}`)),
  takesAlong: "everything in it",
  listDependents: listProjectDependents,
};

const INSTALLATIONS: Resource = {
  plural: "installations",
  singular: "installation",
  filters: ["integration", "group"],
  columns: {
    GROUP: text("group.groupRef"),
    INTEGRATION: text("integrationName"),
    PROVIDER: markExtra(text("connection.provider")),
    HEALTH: status("healthStatus"),
    PAUSED: describePauses,
    "LAST OPERATION": status("lastOperationStatus"),
    CREATED: time("createTime"),
    "INTEGRATION ID": markExtra(id("integrationId")),
    ID: id("id"),
  },
  withNames: withNames(nameSource("integrationId", "integrationName", "/integrations")),
  async list(deps, { integration, group }) {
    if (integration) {
      const path = `/integrations/${encodeStep(integration)}/installations`;
      return requireObjects(await deps.inProject("GET", path, { query: { groupRef: group } }));
    }
    const all = requireObjects(await deps.inProject("GET", "/installations"));
    return group ? all.filter((one) => getTextAt(one, "group.groupRef") === group) : all;
  },
  get: async (deps, key, { integration }) =>
    requireObject(
      await deps.inProject("GET", await findInstallation(deps, { installation: key, integration })),
    ),
  remove: async (deps, key, { integration }) =>
    void (await deps.inProject("DELETE", await findInstallation(deps, { installation: key, integration }))),
  takesAlong: "its connection, unless another installation uses it",
  listDependents: listInstallationDependents,
};

/** Names the objects that are not read by schedule. */
function describePauses(installation: JsonObject): string {
  const pauses = requireObjects(getValueAt(installation, "readPauses"));
  return pauses
    .map((pause) => `${getTextAt(pause, "object")}${getTextAt(pause, "by") === "auto" ? " (by Busbar)" : ""}`)
    .join(", ");
}

/** Returns more than the API's status: `failing` without new tokens, `unverified` before the provider has accepted the credentials. */
function describeConnectionStatus(connection: JsonObject): string {
  const reported = getTextAt(connection, "status") ?? "";
  if (reported === "bad_credentials") return reported;
  if (getValueAt(connection, "refreshFailure") !== undefined) return "failing";
  return getValueAt(connection, "verified") === false ? "unverified" : reported;
}

const CONNECTIONS: Resource = {
  plural: "connections",
  singular: "connection",
  filters: ["group", "provider"],
  columns: {
    PROVIDER: text("provider"),
    GROUP: text("group.groupRef"),
    CONSUMER: text("consumer.consumerRef"),
    STATUS: { text: describeConnectionStatus, kind: "status" },
    SCHEME: markExtra(text("authScheme")),
    CREATED: time("createTime"),
    ID: id("id"),
  },
  list: async (deps, { group, provider }) =>
    requireObjects(await deps.inProject("GET", "/connections", { query: { groupRef: group, provider } })),
  get: getAt("/connections"),
  remove: removeAt("/connections"),
};

const CONSENTS: Resource = {
  plural: "consents",
  singular: "consent",
  filters: ["group", "provider", "status", "limit"],
  columns: {
    PROVIDER: text("provider"),
    GROUP: text("groupRef"),
    CONSUMER: markExtra(text("consumerRef")),
    STATUS: status("status"),
    REASON: text("reason"),
    DETAIL: prose("detail"),
    CREATED: time("createTime"),
    ID: id("id"),
  },
  list: async (deps, { group, provider, status: wanted, limit }) =>
    listPages(deps, "/consents", {
      ...(limit !== undefined && { limit }),
      query: { groupRef: group, provider, status: wanted },
    }),
};

/** Finds by id or provider. */
export const findProviderApp = findIn("/provider-apps", "provider app", "provider");
/** Finds by id or name. */
export const findTopic = findIn("/topics", "topic", "name");

const PROVIDER_APPS: Resource = {
  plural: "provider-apps",
  singular: "provider-app",
  columns: {
    PROVIDER: text("provider"),
    "CLIENT ID": text("clientId"),
    SCOPES: joinByComma("scopes"),
    CREATED: time("createTime"),
    ID: id("id"),
  },
  list: listAt("/provider-apps"),
  get: findProviderApp,
  remove: findAndRemove("/provider-apps", "provider app", "provider"),
};

const DESTINATIONS: Resource = {
  plural: "destinations",
  singular: "destination",
  columns: {
    NAME: text("name"),
    TYPE: text("type"),
    STATE: { text: (row) => getTextAt(row, "health.state") ?? "", kind: "status" },
    WHY: {
      text: (row) => getTextAt(row, "disabledReason") ?? getTextAt(row, "health.lastFailure.error") ?? "",
      kind: "prose",
      isExtra: true,
    },
    URL: text("metadata.url"),
    CREATED: time("createTime"),
    ID: id("id"),
  },
  list: listAt("/destinations"),
  get: async (deps, name, { includeSecrets }) =>
    requireObject(
      await deps.inProject("GET", `/destinations/${encodeStep(name)}`, {
        query: { includeSecrets: includeSecrets ? "true" : undefined },
      }),
    ),
  remove: removeAt("/destinations"),
  takesAlong:
    "its routes and its waiting deliveries (it is refused, with their names, while integrations send to it)",
  listDependents: listDestinationDependents,
};

const TOPICS: Resource = {
  plural: "topics",
  singular: "topic",
  columns: { NAME: text("name"), CREATED: time("createTime"), ID: id("id") },
  list: listAt("/topics"),
  get: findTopic,
  remove: findAndRemove("/topics", "topic", "name"),
  takesAlong: "its routes",
  listDependents: listTopicDependents,
};

const EVENT_PATH = "/notification-event-topic-routes";
const EVENT_ROUTES: Resource = {
  plural: "event-routes",
  singular: "event-route",
  aliases: ["notification-event-topic-routes"],
  filters: ["topic", "type"],
  columns: {
    "EVENT TYPE": text("eventType"),
    TOPIC: text("topicName"),
    "TOPIC ID": markExtra(id("topicId")),
    ID: id("id"),
  },
  withNames: withNames(nameSource("topicId", "topicName", "/topics")),
  list: async (deps, { topic, type }) =>
    requireObjects(await deps.inProject("GET", EVENT_PATH, { query: { topicId: topic, eventType: type } })),
  get: findIn(EVENT_PATH, "route"),
  remove: removeAt(EVENT_PATH),
};

const DESTINATION_PATH = "/topic-destination-routes";
const DESTINATION_ROUTES: Resource = {
  plural: "destination-routes",
  singular: "destination-route",
  aliases: ["topic-destination-routes"],
  columns: {
    TOPIC: text("topicName"),
    DESTINATION: text("destinationName"),
    "TOPIC ID": markExtra(id("topicId")),
    "DESTINATION ID": markExtra(id("destinationId")),
    ID: id("id"),
  },
  withNames: withNames(
    nameSource("topicId", "topicName", "/topics"),
    nameSource("destinationId", "destinationName", "/destinations"),
  ),
  list: listAt(DESTINATION_PATH),
  get: findIn(DESTINATION_PATH, "route"),
  remove: removeAt(DESTINATION_PATH),
};

const API_KEYS: Resource = {
  plural: "api-keys",
  singular: "api-key",
  columns: {
    LABEL: text("label"),
    KEY: text("key"),
    SCOPES: joinByComma("scopes"),
    ACTIVE: status("active"),
    "LAST USED": time("lastUsedTime"),
    EXPIRES: time("expireTime"),
    CREATED: time("createTime"),
    ID: id("id"),
  },
  list: listAt("/api-keys"),
  get: async (deps, name) => findApiKey(deps, name),
  remove: async (deps, name) => findAndRemove("/api-keys", "API key", "label")(deps, refuseWholeKey(name)),
};

/** Finds an API key by id or label. */
export const findApiKey = async (deps: Connected, name: string): Promise<JsonObject> =>
  findIn("/api-keys", "API key", "label")(deps, refuseWholeKey(name));

/** Refuses a whole key, which the API would accept, because paths end up in logs. */
function refuseWholeKey(name: string): string {
  if (/^bb_[\w-]{16,}$/.test(name)) {
    throw new UsageFailure(
      "Name the API key by its id or label, not by the key itself; `busbar list api-keys` has the ids.",
    );
  }
  return name;
}

const JWT_KEYS: Resource = {
  plural: "jwt-keys",
  singular: "jwt-key",
  columns: {
    LABEL: text("label"),
    ALGORITHM: text("algorithm"),
    ACTIVE: status("active"),
    CREATED: time("createTime"),
    ID: id("id"),
  },
  list: listAt("/jwt-keys"),
  get: getAt("/jwt-keys"),
  remove: removeAt("/jwt-keys"),
};

const STATUSES = ["in_progress", "success", "failure"];

export const OPERATIONS: Resource = {
  plural: "operations",
  singular: "operation",
  filters: ["installation", "integration", "group", "status", "type", "object", "actor", "limit"],
  columns: {
    INTEGRATION: text("integrationName"),
    GROUP: text("groupRef"),
    ACTION: markExtra(text("actionType")),
    OBJECT: text("resource"),
    STATUS: status("status"),
    CREATED: time("createTime"),
    RESULT: markExtra(prose("result")),
    ID: id("id"),
  },
  async list(deps, { integration, installation, group, status: wanted, type, object, actor, limit }) {
    if (wanted !== undefined && !STATUSES.includes(wanted.toLowerCase()))
      throw new UsageFailure(`--status is one of ${STATUSES.join(", ")}.`);
    return listPages(deps, "/operations", {
      ...(limit !== undefined && { limit }),
      query: {
        integration,
        installationId: installation,
        groupRef: group,
        status: wanted?.toLowerCase(),
        type: type?.toLowerCase(),
        object,
        actor,
      },
    });
  },
  get: getAt("/operations"),
};

const DELIVERIES: Resource = {
  plural: "deliveries",
  singular: "delivery",
  filters: ["destination", "group", "integration", "object", "kind", "type", "status", "limit"],
  columns: {
    EVENT: text("eventType"),
    GROUP: text("groupRef"),
    INTEGRATION: markExtra(text("integration")),
    OBJECT: text("object"),
    RECORDS: text("records"),
    DESTINATION: text("destinationName"),
    STATUS: status("status"),
    ATTEMPTS: (row) => String([getValueAt(row, "attempts")].flat().length),
    TIME: time("eventTime"),
    NEXT: time("nextAttemptTime"),
    ID: id("id"),
  },
  list: async (deps, { destination, group, integration, object, kind, type, status: wanted, limit }) =>
    listPages(deps, "/deliveries:search", {
      ...(limit !== undefined && { limit }),
      query: { destination, groupRef: group, integration, object, kind, type, status: wanted },
    }),
  get: async (deps, key, { destination }) =>
    getAt(`/destinations/${encodeStep(requireDestination(destination))}/deliveries`)(deps, key),
};

function requireDestination(destination: string | undefined): string {
  if (destination) return destination;
  throw new UsageFailure("Give --destination: a message may go to several.");
}

const RESOURCES: Resource[] = [
  PROJECTS,
  INTEGRATIONS,
  REVISIONS,
  GROUPS,
  INSTALLATIONS,
  CONNECTIONS,
  CONSENTS,
  PROVIDER_APPS,
  DESTINATIONS,
  TOPICS,
  EVENT_ROUTES,
  DESTINATION_ROUTES,
  API_KEYS,
  JWT_KEYS,
  AUDIT,
  OPERATIONS,
  DELIVERIES,
  EVENTS,
  SUBSCRIPTIONS,
  SUBSCRIPTION_EVENTS,
  PROVIDERS,
];

type Verb = "list" | "get" | "remove";
type Able<Does extends Verb> = Resource & Required<Pick<Resource, Does>>;

const isAble = <Does extends Verb>(resource: Resource, verb: Does): resource is Able<Does> =>
  resource[verb] !== undefined;

/** Returns the resources that can be listed, fetched or deleted. */
export const listResourcesWith = <Does extends Verb>(verb: Does): Able<Does>[] =>
  RESOURCES.filter((resource) => isAble(resource, verb));

const PARTICIPLE = { list: "listed", get: "fetched", remove: "deleted" };

/** Finds a resource by plural, singular or alias. Throws `UsageFailure` that lists the possible ones. */
export function findResource<Does extends Verb>(name: string, verb: Does): Able<Does> {
  const found = RESOURCES.find(({ plural, singular, aliases = [] }) =>
    [plural, singular, ...aliases].includes(name.toLowerCase()),
  );
  if (found && isAble(found, verb)) return found;
  const able = listResourcesWith(verb).map(({ plural }) => plural);
  if (found)
    throw new UsageFailure(`${found.plural} cannot be ${PARTICIPLE[verb]}. Resources: ${able.join(", ")}.`);
  const names = listResourcesWith(verb).flatMap(({ plural, singular }) => [plural, singular]);
  const hint = suggestName(name.toLowerCase(), names, `Resources: ${able.join(", ")}.`);
  throw new UsageFailure(`There is no resource "${name}". ${hint}`);
}
