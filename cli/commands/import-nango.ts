/**
 * `busbar import nango`: copies OAuth clients and customers' connections from an environment of Nango. Its API is as in Nango's own description
 * and code, https://github.com/NangoHQ/nango at 2f4c0af6 (2026-08-21): docs/spec.yaml, packages/server/lib/controllers.
 */
import { findNeeds } from "../connecting/provider-needs.ts";
import { Failure, Unreachable } from "../failures.ts";
import { openApi, encodeStep, type Api } from "../http/api.ts";
import { Refused } from "../http/refused.ts";
import {
  isObject,
  listObjectsAt,
  requireObject,
  requireObjects,
  getTextAt,
  getValueAt,
  type Json,
  type JsonObject,
} from "../http/json.ts";
import type { Connected } from "../settings/connect.ts";

export const NANGO = "https://api.nango.dev";
/** The most that the API accepts is 2000. */
const PAGE_SIZE = 500;

export interface Imported extends JsonObject {
  kind: string;
  group: string;
  name: string;
  outcome: string;
}

interface NangoImport {
  server: Pick<Connected, "api" | "inProject">;
  /** Address of its API. */
  from: string;
  /** An API key of the environment that may read credentials. */
  key: string;
  /** Nango's names of providers, and ours where they differ. */
  providers: Record<string, string>;
  /** The tag that names a connection's customer. */
  groupTag: string | undefined;
  /** Undefined: every customer. */
  group: string | undefined;
  dryRun: boolean;
}

/** State while the connections are copied. */
interface Copying extends NangoImport {
  nango: Api;
  /** The catalog's and the project's own, by name. */
  catalog: Map<string, JsonObject>;
  /** Why no token of an integration could be refreshed here, by Nango's name of the integration. */
  lacking: Map<string, string>;
}

/** Returns a row for each OAuth client and each connection. Throws if Nango's lists cannot be read. */
export async function importNango(wanted: NangoImport): Promise<Imported[]> {
  const call = openApi({ origin: wanted.from });
  const headers = { authorization: `Bearer ${wanted.key}` };
  const nango = callOtherSide(wanted.from, (method, path, asked) =>
    call(method, path, { ...asked, headers }),
  );
  const copying: Copying = {
    ...wanted,
    nango,
    catalog: await readCatalog(wanted.server),
    lacking: new Map(),
  };
  const { group, groupTag } = wanted;
  const connections = (await listConnections(nango)).filter(
    (one) => group === undefined || findGroup(one, groupTag) === group,
  );
  const rows: Imported[] = [];
  for (const integration of listObjectsAt(await nango("GET", "/integrations"), "data")) {
    const key = getTextAt(integration, "unique_key") ?? "";
    if (connections.some((one) => getTextAt(one, "provider_config_key") === key))
      rows.push(...(await copyClient(copying, integration, key)));
  }
  const taken = new Set<string>();
  for (const connection of connections) rows.push(await copyConnection(copying, connection, taken));
  return rows;
}

async function readCatalog({ api, inProject }: NangoImport["server"]): Promise<Copying["catalog"]> {
  const declared = Object.entries(requireObject(await api("GET", "/v1/providers")));
  const own = requireObjects(await inProject("GET", "/providers"));
  return new Map([
    ...declared.flatMap(([name, entry]): [string, JsonObject][] => (isObject(entry) ? [[name, entry]] : [])),
    ...own.map((one): [string, JsonObject] => [getTextAt(one, "key") ?? "", requireObject(one["provider"])]),
  ]);
}

/** Calls the source of the copy. A refusal is reported with the source's address and its options, not with those of this side. */
export const callOtherSide =
  (from: string, api: Api): Api =>
  async (method, path, asked) => {
    try {
      return await api(method, path, asked);
    } catch (error) {
      if (error instanceof Unreachable)
        throw new Unreachable(error.message, {
          remedy: "--from names the address to copy from.",
          cause: error,
        });
      if (!(error instanceof Refused)) throw error;
      const { host } = new URL(from);
      const remedies: Record<number, string> = {
        401: "--from-key names the key, of the project or environment there.",
        403: "--from-key names the key, of the project or environment there.",
        404: "Is this the address of what you copy from, without a path? --from names it.",
      };
      const remedy = remedies[error.status];
      throw new Failure(`${host}: ${error.message}`, { ...(remedy && { remedy }), cause: error });
    }
  };

/** Returns all of them, the newest first: a customer's last consent is the one that counts. */
async function listConnections(nango: Api): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let page = 0; ; page += 1) {
    const query = { limit: String(PAGE_SIZE), page: String(page) };
    const some = listObjectsAt(await nango("GET", "/connections", { query }), "connections");
    found.push(...some);
    if (some.length < PAGE_SIZE) break;
  }
  const time = (connection: JsonObject) => Date.parse(getTextAt(connection, "created") ?? "") || 0;
  return found.toSorted((one, other) => time(other) - time(one));
}

/** Returns our name of a provider: the one given, the same, or one that differs only in `-` and capitals. */
function findProvider({ catalog, providers }: Copying, theirs: string): string {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const given = providers[theirs];
  const names = [...catalog.keys()];
  const name = given ?? (catalog.has(theirs) ? theirs : names.find((one) => plain(one) === plain(theirs)));
  if (name !== undefined && catalog.has(name)) return name;
  throw new Failure(
    `the catalog has no provider "${given ?? theirs}"; name ours with --provider ${theirs}=NAME`,
  );
}

/** Copies the OAuth client of an integration, without which no token of it can be refreshed here. Others have none, and no row. */
async function copyClient(copying: Copying, integration: JsonObject, key: string): Promise<Imported[]> {
  let name = getTextAt(integration, "provider") ?? "";
  let hasClient = true;
  const outcome = await attempt(async () => {
    const query = { include: "credentials" };
    const shown = getValueAt(
      await copying.nango("GET", `/integrations/${encodeStep(key)}`, { query }),
      "data.credentials",
    );
    hasClient = getTextAt(shown, "type") === "OAUTH2";
    if (!hasClient)
      throw new Failure(
        `Nango shows no OAuth client of ${key}: the key needs the scope environment:integrations:read_credentials`,
      );
    name = findProvider(copying, name);
    return createClient(copying, name, shown);
  });
  if (outcome.startsWith("not copied")) copying.lacking.set(key, outcome.replace("not copied: ", ""));
  return hasClient ? [{ kind: "provider app", group: "", name, outcome, from: key }] : [];
}

async function createClient(
  { server, dryRun }: Copying,
  provider: string,
  shown: Json | undefined,
): Promise<string> {
  const clientId = getTextAt(shown, "client_id");
  const clientSecret = getTextAt(shown, "client_secret");
  if (!clientId || !clientSecret)
    throw new Failure(
      "its OAuth client belongs to Nango: register your own, and let the customers connect again",
    );
  const apps = requireObjects(await server.inProject("GET", "/provider-apps"));
  const app = apps.find((one) => one["provider"] === provider);
  if (app && getTextAt(app, "clientId") !== clientId)
    throw new Failure(
      `the provider app of ${provider} here has another client id, which cannot refresh these tokens`,
    );
  if (app) return "here already";
  if (dryRun) return "would be copied";
  // Nango separates them by commas.
  const scopes = (getTextAt(shown, "scopes") ?? "").split(",").map((scope) => scope.trim());
  const body = { provider, clientId, clientSecret, scopes: scopes.filter((scope) => scope !== "") };
  await server.inProject("POST", "/provider-apps", { body });
  return "copied";
}

async function copyConnection(copying: Copying, listed: JsonObject, taken: Set<string>): Promise<Imported> {
  const { nango, server, dryRun } = copying;
  const id = getTextAt(listed, "connection_id") ?? "";
  const integration = getTextAt(listed, "provider_config_key") ?? "";
  let name = getTextAt(listed, "provider") ?? "";
  let groupRef = "";
  const outcome = await attempt(async () => {
    groupRef = findGroup(listed, copying.groupTag) ?? "";
    if (groupRef === "") throw new Failure(`it has no tag "${copying.groupTag}", which --group-tag names`);
    name = findProvider(copying, name);
    const pair = JSON.stringify([groupRef, name]);
    if (taken.has(pair))
      throw new Failure("a customer has one connection to a provider here, and a newer one was found before");
    taken.add(pair);
    const query = { groupRef, provider: name };
    if (requireObjects(await server.inProject("GET", "/connections", { query })).length > 0)
      return "here already";
    const asked = { query: { provider_config_key: integration, refresh_token: "true" } };
    const shown = requireObject(await nango("GET", `/connections/${encodeStep(id)}`, asked));
    const body = generateRequest(copying, shown, { provider: name, groupRef, integration });
    if (dryRun) return "would be copied";
    await server.inProject("POST", "/connections:generate", { body });
    return "copied";
  });
  return { kind: "connection", group: groupRef, name, outcome, from: `${integration}/${id}` };
}

/** Nango's guide names a customer by the tag `organization_id`, a person by `end_user_id`; before tags both were in `end_user`. */
function findGroup(connection: JsonObject, groupTag: string | undefined): string | undefined {
  const tags = getValueAt(connection, "tags");
  const names = groupTag === undefined ? ["organization_id", "end_user_id"] : [groupTag];
  const tagged = names.map((name) => isObject(tags) && tags[name]).find(Boolean);
  if (typeof tagged === "string") return tagged;
  if (groupTag !== undefined) return undefined;
  const organization = getTextAt(connection, "end_user.organization.id");
  return organization ?? getTextAt(connection, "end_user.id") ?? getTextAt(connection, "connection_id");
}

interface Target {
  provider: string;
  groupRef: string;
  integration: string;
}

/** Returns what `connections:generate` takes. Throws if the credentials cannot be moved. */
function generateRequest(copying: Copying, shown: JsonObject, target: Target): JsonObject {
  const { provider, groupRef } = target;
  const entry = copying.catalog.get(provider) ?? {};
  const groupName = getTextAt(shown, "end_user.organization.display_name");
  const consumerName = getTextAt(shown, "end_user.display_name");
  const person = getTextAt(shown, "tags.end_user_id") ?? getTextAt(shown, "end_user.id");
  return {
    provider,
    groupRef,
    consumerRef: person || groupRef,
    ...(groupName && { groupName }),
    ...(consumerName && { consumerName }),
    ...readWorkspace(entry, shown),
    ...readMetadata(entry, shown),
    ...readCredentials(copying, entry, shown, target),
  };
}

function readCredentials(
  copying: Copying,
  entry: JsonObject,
  shown: JsonObject,
  { integration }: Target,
): JsonObject {
  const secret = (name: string) => getTextAt(shown, `credentials.${name}`) ?? "";
  const kind = secret("type");
  if (kind === "OAUTH2") {
    const own = getTextAt(shown, "credentials.config_override.client_id");
    const lack = own
      ? "the customer has an OAuth client of its own in Nango"
      : copying.lacking.get(integration);
    if (lack !== undefined) throw new Failure(lack);
    const expiresAt = secret("expires_at");
    const refreshToken = secret("refresh_token");
    const accessToken = { token: secret("access_token"), ...(expiresAt && { expiresAt }) };
    return {
      oauth2AuthorizationCode: {
        accessToken,
        ...(refreshToken && { refreshToken: { token: refreshToken } }),
      },
    };
  }
  if (kind === "API_KEY") return { apiKey: secret("apiKey") };
  if (kind === "BASIC") {
    const needs = findNeeds(entry);
    if (needs.kind !== "credentials" || needs.member !== "apiKey")
      return { basicAuth: { username: secret("username"), password: secret("password") } };
    const format = getTextAt(entry, "basicOpts.apiKeyAsBasicOpts.keyFormat") ?? "%s:";
    return { apiKey: format.startsWith("%s") ? secret("username") : secret("password") };
  }
  if (kind === "OAUTH2_CC")
    return {
      oauth2ClientCredentials: { clientId: secret("client_id"), clientSecret: secret("client_secret") },
    };
  throw new Failure(
    kind === ""
      ? "Nango shows no credentials: the key needs the scope environment:connections:read_credentials"
      : `credentials of Nango's kind ${kind} cannot be moved: let the customer connect again`,
  );
}

/** Returns the variable part of the provider's address: a `subdomain`, or taken from a host such as Salesforce's `instance_url`. */
function readWorkspace(entry: JsonObject, shown: JsonObject): JsonObject {
  const [before = "", after] = (getTextAt(entry, "baseURL") ?? "").split("{{.workspace}}");
  if (after === undefined) return {};
  const config = getValueAt(shown, "connection_config");
  const subdomain = getTextAt(config, "subdomain");
  if (subdomain) return { providerWorkspaceRef: subdomain };
  const [host = ""] = after.split("/");
  const values = isObject(config) ? Object.values(config) : [];
  for (const value of values) {
    if (typeof value !== "string") continue;
    const address = value.startsWith("https://") ? value : `https://${value}`;
    const end = address.indexOf(host, before.length);
    if (host !== "" && address.startsWith(before) && end > before.length)
      return { providerWorkspaceRef: address.slice(before.length, end) };
  }
  throw new Failure(
    "its connection_config does not name the account's address, which we need: connect it again",
  );
}

/** Returns what else the provider's entry asks for, where Nango's connection_config has a value of the same name. */
function readMetadata(entry: JsonObject, shown: JsonObject): JsonObject {
  const found = listObjectsAt(entry, "metadata.input").flatMap((input): [string, JsonObject][] => {
    const name = getTextAt(input, "name") ?? "";
    const value = name === "workspace" ? undefined : getTextAt(shown, `connection_config.${name}`);
    return value === undefined ? [] : [[name, { value, source: "input" }]];
  });
  return found.length === 0 ? {} : { providerMetadata: Object.fromEntries(found) };
}

/** Turns a refusal into an outcome, so that one customer does not hold up the others. */
export async function attempt(copy: () => Promise<string>): Promise<string> {
  try {
    return await copy();
  } catch (error) {
    if (error instanceof Failure && !(error instanceof Unreachable)) return `not copied: ${error.message}`;
    throw error;
  }
}
