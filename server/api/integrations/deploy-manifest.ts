/** Deploys a manifest: turns its text into revisions, all or none. */
import type { Catalog, CustomProviders } from "../../../connector-kit/catalog.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Log } from "../../../ground/log.ts";
import type { CustomProviderMemory } from "../../operations/custom-provider-memory.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { checkManifest, type ManifestVerdict } from "../../../manifest/check-manifest.ts";
import type { Finding } from "../../../manifest/finding.ts";
import type { Manifest, ManifestIntegration } from "../../../manifest/manifest.ts";
import type { Database } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { listDestinations } from "../../store/deliveries/destinations.ts";
import { insertManifestSource, upsertIntegration } from "../../store/integrations/integrations.ts";
import { listProviderApps } from "../../store/connections/provider-apps.ts";
import { getIntegrationRow, type Integration } from "../integration.ts";

export interface DeployServices {
  database: Database;
  catalog: Catalog;
  customProviders: CustomProviderMemory;
  egress: Egress;
  log: Log;
}

/** Checks the text. Throws a 422 Problem with one issue per fault, each with line, column, rule and remedy. */
export async function checkSources(
  deps: DeployServices,
  projectId: string,
  { source, providers }: { source: string; providers?: CustomProviders },
): Promise<{ manifest: Manifest; warnings: Finding[] }> {
  const { manifest, findings } = await judgeManifest(deps, projectId, source, providers);
  if (manifest) return { manifest, warnings: findings };
  throw refuseInvalidManifest(findings.filter(isError));
}

/** Checks an entry that came as JSON; its issues name a place in the body instead of a line. */
export async function checkEntry(
  deps: DeployServices,
  projectId: string,
  { specVersion, entry }: { specVersion: string; entry: object },
): Promise<Manifest> {
  // JSON is YAML, so the same checker works.
  const source = JSON.stringify({ specVersion, integrations: [entry] });
  const { manifest, findings } = await judgeManifest(deps, projectId, source);
  if (manifest) return manifest;
  const issues = findings.filter(isError).map(({ path, message, rule, remedy }): Issue => ({
    in: "body",
    name: path.replace("$.integrations[0]", "latestRevision.content").replace(/^\$/, "latestRevision"),
    detail: message,
    rule,
    remedy,
  }));
  const [first] = issues;
  const detail = first
    ? `${countMistakes(issues)}; the first: ${first.name}: ${first.detail}`
    : `${countMistakes(issues)}.`;
  throw new Problem("invalid-manifest", { detail, issues });
}

async function judgeManifest(
  { database: { control }, ...deps }: Pick<DeployServices, "database" | "catalog">,
  projectId: string,
  source: string,
  providers: CustomProviders = new Map(),
): Promise<ManifestVerdict> {
  const catalog = deps.catalog.of(projectId).with(providers);
  const apps = await listProviderApps(control, projectId);
  const destinations = await listDestinations(control, projectId);
  return checkManifest(source, catalog.declared(), {
    built: (provider, action) => catalog.built(provider, action),
    objects: (provider) => catalog.connector(provider)?.objects,
    providerApps: apps.map((app) => app.provider),
    destinations: destinations.map(({ name }) => name),
    destinationsMayFollow: true,
  });
}

const isError = ({ severity }: Finding): boolean => severity === "error";

const countMistakes = ({ length }: unknown[]): string =>
  `The manifest has ${length} mistake${length === 1 ? "" : "s"}`;

function refuseInvalidManifest(errors: Finding[]): Problem {
  const [first] = errors;
  return new Problem("invalid-manifest", {
    detail: first
      ? `${countMistakes(errors)}; the first: line ${first.line}: ${first.message}`
      : `${countMistakes(errors)}.`,
    remedy: "Fix the faults listed in `issues`, each with line and column, and deploy again.",
    causes: errors.map(
      ({ line, column, message, remedy }) => `line ${line}, column ${column}: ${message} ${remedy}`,
    ),
    issues: errors.map(({ path, message, ...rest }) => ({
      in: "body",
      name: path,
      detail: message,
      ...rest,
    })),
  });
}

/** Who deploys and how, and the text that revisions keep. */
interface Deployment {
  createdBy: string;
  source: string;
  /** What the manifest leaves out is no longer read. */
  destructive: boolean;
}

/** Stores all integrations of a checked manifest. Returns the rows in the order of the file. */
export async function deployIntegrations(
  queries: ControlQueries,
  projectId: string,
  { specVersion, integrations }: Manifest,
  { source, ...how }: Deployment,
): Promise<Integration[]> {
  const sourceId = await insertManifestSource(queries, { projectId, source });
  // Ordered by name: otherwise two concurrent deployments could deadlock.
  for (const content of integrations.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    await deployIntegration(queries, projectId, { specVersion, content, sourceId, ...how });
  }
  const rows: Integration[] = [];
  for (const { name } of integrations) rows.push(await getIntegrationRow(queries, projectId, name));
  return rows;
}

/** Stores one integration of a checked manifest. Throws a 422 Problem; the transaction must then be rolled back. */
export async function deployIntegration(
  queries: ControlQueries,
  projectId: string,
  deployed: Omit<Deployment, "source"> & {
    specVersion: string;
    content: ManifestIntegration;
    sourceId: string;
  },
): Promise<void> {
  const { name, provider } = deployed.content;
  // Checked after the row is locked: another deployment could have changed it before.
  const stored = await upsertIntegration(queries, { projectId, name, provider, ...deployed });
  if (stored.provider === provider) return;
  throw new Problem("semantically-invalid", {
    detail:
      `The integration \`${name}\` is one of ${stored.provider}; its installations cannot move to ${provider}. ` +
      "Use another name, or delete the integration first.",
  });
}
