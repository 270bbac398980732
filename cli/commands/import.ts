/** `busbar import`: copies customers' connections and installations from another project of the same API, or connections from Nango. */
import type { Command } from "commander";
import { Ended, Failure, UsageFailure } from "../failures.ts";
import { openApi, encodeStep, type Api } from "../http/api.ts";
import {
  isObject,
  requireObject,
  requireObjects,
  getTextAt,
  getValueAt,
  type Json,
  type JsonObject,
} from "../http/json.ts";
import { readArgument } from "../read-argument.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { attempt, callOtherSide, importNango, NANGO, type Imported } from "./import-nango.ts";
import { collect } from "./resource-options.ts";

interface ImportOptions {
  from?: string;
  fromKey: string;
  fromProject?: string;
  provider?: string[];
  groupTag?: string;
  group?: string;
  dryRun?: boolean;
}

/** Access to both projects; `there` is only read. */
interface Sides extends Pick<Connected, "inProject"> {
  there: Api;
  /** Undefined: every customer. */
  group: string | undefined;
  dryRun: boolean;
}

export function addImport(program: Command, terminal: Terminal): void {
  program
    .command("import [source]")
    .description(
      "copy customers' connections and installations from another project of this API, or connections from nango",
    )
    .option(
      "--from <address>",
      `address of the other API, without /v1: Ampersand's, another Busbar's, or Nango's (${NANGO})`,
    )
    .requiredOption("--from-key <key>", "its API key: @file, - for stdin, or the key")
    .option("--from-project <idOrName>", "the project there; a key of Nango has one environment")
    .option(
      "--provider <theirs=ours>",
      "nango: a provider that has another name here; may be repeated",
      collect,
    )
    .option(
      "--group-tag <name>",
      "nango: the tag that names the customer (default: organization_id, else end_user_id)",
    )
    .option("-g, --group <groupRef>", "one customer only")
    .option("--dry-run", "only say what would be copied")
    .addHelpText(
      "after",
      "\nDeploy the manifest and create the provider apps, with the same client ids, before; from nango they are copied. Pause\n" +
        "the other side: a provider that gives a new refresh token at each use would end the connection of the one that comes\n" +
        "second. What is here already is left as it is, so the command can be repeated. Exit code 1: something could not be\n" +
        "copied.",
    )
    .action(async (source: string | undefined, options: ImportOptions, command: Command) => {
      if (source !== undefined && source !== "nango")
        throw new UsageFailure(`"${source}" is no source: give nango, or nothing for this API.`);
      if (options.from !== undefined && !URL.canParse(options.from))
        throw new UsageFailure(`--from: "${options.from}" is not an address.`);
      const server = await connect(command, terminal);
      const key = (await readArgument(options.fromKey, terminal)).toString().trim();
      if (key === "") throw new UsageFailure(`--from-key: ${options.fromKey} holds no key.`);
      if (!/^[\x21-\x7e]+$/.test(key))
        throw new UsageFailure(
          "--from-key: this is no key: it has spaces, several lines or letters that no key has.",
        );
      const copy = source === "nango" ? fromNango : fromProject;
      const rows = await copy(server, options, key);
      const columns = {
        KIND: ({ kind }: Imported) => kind,
        GROUP: ({ group }: Imported) => group,
        NAME: ({ name }: Imported) => name,
        OUTCOME: ({ outcome }: Imported) => outcome,
      };
      server.out.rows(rows, columns, "The other project has no connections.");
      if (rows.some(({ outcome }) => outcome.startsWith("not copied"))) throw new Ended();
    });
}

async function fromProject(
  { inProject }: Connected,
  { from, fromProject: project, group, dryRun = false }: ImportOptions,
  apiKey: string,
): Promise<Imported[]> {
  if (from === undefined || project === undefined)
    throw new UsageFailure("--from and --from-project name the other API and its project.");
  const other = openApi({ origin: from, apiKey });
  const there = callOtherSide(from, (method, path, asked) =>
    other(method, `/v1/projects/${encodeStep(project)}${path}`, asked),
  );
  const sides = { there, inProject, group, dryRun };
  const connections = await copyConnections(sides);
  return [...connections, ...(await copyInstallations(sides))];
}

async function fromNango(
  server: Connected,
  { from = NANGO, provider = [], groupTag, group, dryRun = false }: ImportOptions,
  key: string,
): Promise<Imported[]> {
  const pairs = provider.map((pair) => pair.split("="));
  if (pairs.some((pair) => pair.length !== 2 || pair.includes("")))
    throw new UsageFailure("--provider takes the names on both sides: zoho-crm=zoho.");
  return importNango({ server, from, key, providers: Object.fromEntries(pairs), groupTag, group, dryRun });
}

async function copyConnections({ there, inProject, group, dryRun }: Sides): Promise<Imported[]> {
  const rows: Imported[] = [];
  const clients = { there: await listClients(there), here: await listClients(inProject) };
  for (const connection of requireObjects(await there("GET", "/connections"))) {
    const provider = getTextAt(connection, "provider") ?? "";
    const groupRef = getTextAt(connection, "group.groupRef") ?? "";
    if (group !== undefined && group !== groupRef) continue;
    const outcome = await attempt(async () => {
      const query = { groupRef, provider };
      if (requireObjects(await inProject("GET", "/connections", { query })).length > 0) return "here already";
      const path = `/connections/${encodeStep(getTextAt(connection, "id") ?? "")}`;
      const secrets = { includeCreds: "true", includeRefreshToken: "true" };
      const body = generateRequest(requireObject(await there("GET", path, { query: secrets })));
      if (!body)
        return "not copied: the API does not show credentials of this kind; let the customer connect again";
      if (isObject(body["oauth2AuthorizationCode"])) requireSameClient(provider, clients);
      if (dryRun) return "would be copied";
      await inProject("POST", "/connections:generate", { body });
      return "copied";
    });
    rows.push({ kind: "connection", group: groupRef, name: provider, outcome });
  }
  return rows;
}

/** Returns the client id of each provider that has an OAuth client. */
async function listClients(api: Api): Promise<Map<string, string>> {
  const apps = requireObjects(await api("GET", "/provider-apps"));
  return new Map(apps.map((app) => [getTextAt(app, "provider") ?? "", getTextAt(app, "clientId") ?? ""]));
}

/** Throws if tokens that the other side's client got could not be refreshed here. */
function requireSameClient(
  provider: string,
  { there, here }: Record<"there" | "here", Map<string, string>>,
): void {
  const [theirs, ours] = [there.get(provider), here.get(provider)];
  const like = theirs === undefined ? "" : ` with the client id ${theirs}`;
  if (ours === undefined)
    throw new Failure(
      `there is no provider app of ${provider} here, which refreshes the tokens: create one${like}`,
    );
  if (theirs !== undefined && theirs !== ours)
    throw new Failure(
      `the provider app of ${provider} here has the client id ${ours}: the tokens need one${like}`,
    );
}

/** Returns what `connections:generate` takes, undefined if the connection shows no credentials. */
function generateRequest(connection: JsonObject): JsonObject | undefined {
  const { provider = "", providerWorkspaceRef, providerMetadata, apiKey } = connection;
  const oauth = connection["oauth2AuthorizationCode"];
  const credentials: JsonObject | false = isObject(oauth)
    ? { oauth2AuthorizationCode: pick(oauth, ["accessToken", "refreshToken", "scopes"]) }
    : typeof apiKey === "string" && { apiKey };
  if (!credentials) return undefined;
  const given = {
    groupName: getTextAt(connection, "group.groupName"),
    consumerName: getTextAt(connection, "consumer.consumerName"),
    providerWorkspaceRef,
    providerMetadata,
  };
  return {
    provider,
    groupRef: getTextAt(connection, "group.groupRef") ?? "",
    consumerRef: getTextAt(connection, "consumer.consumerRef") ?? "",
    ...pick(given, Object.keys(given)),
    ...credentials,
  };
}

/** Picks the members that have a value: the API refuses empty ones. */
const pick = (from: Record<string, Json | undefined>, names: string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name): [string, Json][] => {
      const value = from[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );

async function copyInstallations({ there, inProject, group, dryRun }: Sides): Promise<Imported[]> {
  const integrations = requireObjects(await there("GET", "/integrations"));
  const names = new Map(integrations.map((one) => [getTextAt(one, "id"), getTextAt(one, "name") ?? ""]));
  const rows: Imported[] = [];
  for (const installation of requireObjects(await there("GET", "/installations"))) {
    const groupRef = getTextAt(installation, "group.groupRef") ?? "";
    if (group !== undefined && group !== groupRef) continue;
    const name = names.get(getTextAt(installation, "integrationId")) ?? "";
    const outcome = await attempt(async () => {
      const path = `/integrations/${encodeStep(name)}/installations`;
      const here = await inProject("GET", path, { query: { groupRef } });
      if (requireObjects(here).length > 0) return "here already";
      if (dryRun) return "would be copied";
      const content = getValueAt(installation, "config.content") ?? {};
      await inProject("POST", path, { body: { groupRef, config: { content } } });
      return "copied";
    });
    rows.push({ kind: "installation", group: groupRef, name, outcome });
  }
  return rows;
}
