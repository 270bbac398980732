/** PUT /v1/projects/{projectIdOrName}/integrations:batch: deploys an amp.yaml. */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { rehearse, transactControl } from "../../store/database/database.ts";
import type { ControlQueries, SharedQueries } from "../../store/database/sides.ts";
import { showAuthor, showCreatedBy } from "../created-by.ts";
import { stopReadingWhatIsGone } from "../installations/change-installation.ts";
import { checkSources, deployIntegrations, type DeployServices } from "./deploy-manifest.ts";
import { Destructive, IntegrationSchema, toIntegration, type Integration } from "../integration.ts";
import { countInstallationsByIntegration } from "../../store/integrations/installations.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import { describeLostNames, refuseLostNames, REMEDY } from "./describe-lost-names.ts";
import { checkProviders, storeProviders } from "./deploy-providers.ts";
import { readManifestSource, ManifestSourceSchema } from "./read-manifest-source.ts";
import { PlannedIntegrationSchema, toPlanned, WarningSchema } from "./planned-integration.ts";

const DeployedIntegrationSchema = Type.Object(
  {
    ...IntegrationSchema.properties,
    warnings: Type.Array(WarningSchema, {
      description:
        "Warnings about this integration's part of the manifest; the first one has those about the whole file, too.",
    }),
  },
  {
    title: "DeployedIntegration",
    description: "A deployed integration, with the warnings about its part of the manifest.",
  },
);

export const batchUpsertIntegrations = (deps: DeployServices) =>
  projectEndpoint({
    operationId: "batchUpsertIntegrations",
    tag: "Integrations",
    summary: "Deploy a manifest",
    description:
      "Creates or updates all integrations of an `amp.yaml`, each with a new revision. If one cannot be deployed, none is. " +
      "Integrations that the file does not contain stay unchanged. `providers`, or the folder of that name in a zip, adds or " +
      "replaces providers of your own first. An invalid manifest is refused with 422 " +
      "and one issue per fault, with line, column, rule and remedy. With `dryRun=true` nothing is stored, and the answer " +
      "compares the file with the current revisions.",
    query: Type.Object({
      destructive: Destructive,
      dryRun: Type.Optional(
        Type.Boolean({
          description: "`true`: store nothing, return what would change. Refused like the deployment itself.",
        }),
      ),
    }),
    body: ManifestSourceSchema,
    success: {
      status: 200,
      description:
        "The integrations, each with the warnings about its part of the file; with `dryRun`, the changes.",
      schema: Type.Union([Type.Array(DeployedIntegrationSchema), Type.Array(PlannedIntegrationSchema)]),
    },
    refusals: {
      409: "With `destructive=false`: installations can write to names that the manifest removes or renames.",
      422: "The manifest is invalid: one issue per fault, with line, column, rule and remedy.",
    },
    async handle({ project, query, body, caller }) {
      const { source, documents } = await readManifestSource(deps.database.control, project.id, body);
      const providers = await checkProviders(deps, documents);
      const { manifest, warnings } = await checkSources(deps, project.id, { source, providers });
      const destructive = query.destructive === true;
      const deployment = { createdBy: showAuthor(caller), source, destructive };
      const deploy = async (queries: ControlQueries) => {
        await storeProviders(queries, project.id, providers, documents);
        const before = await listIntegrations<ManifestIntegration>(queries, project.id);
        const rows = await deployIntegrations(queries, project.id, manifest, deployment);
        const lost = query.destructive ? undefined : await listLostByName(queries, before, rows);
        if (query.destructive === false)
          for (const row of rows) refuseLostNames(row, lost?.get(row.name) ?? []);
        if (query.destructive) {
          const createdBy = showCreatedBy(caller, undefined, "batch-upsert-integrations");
          for (const row of rows) await stopReadingWhatIsGone(queries, row, createdBy);
        }
        return rows.map((row, index) => ({
          row,
          before: before.find(({ id }) => id === row.id),
          warnings: [
            ...warnings
              .filter(({ path }) => findIntegrationAt(path) === index)
              .map(({ severity: _severity, ...warning }) => warning),
            ...(lost?.get(row.name) ?? []).map((message) => ({ ...place(index), message: `${message}.` })),
          ],
        }));
      };
      if (!query.dryRun) {
        const deployed = await transactControl(deps.database, deploy);
        if (providers.size > 0) await deps.customProviders.load(deps, project.id);
        return deployed.map(({ row, warnings: found }) => ({ ...toIntegration(row), warnings: found }));
      }
      const planned = await rehearse(deps.database, deploy);
      const counts = await countInstallationsByIntegration(deps.database.control, project.id);
      return planned.map((one) => toPlanned(one, counts));
    },
  });

/** Returns the index of the integration that a path leads into. A finding about the whole file belongs to the first one. */
const findIntegrationAt = (path: string): number => Number(/^\$\.integrations\[(\d+)\]/.exec(path)?.[1] ?? 0);

/** Returns the place of a warning about a name that the manifest no longer contains, so that no line fits. */
const place = (index: number) => ({
  rule: "written-names",
  line: 1,
  column: 1,
  path: `$.integrations[${index}].write`,
  remedy: REMEDY,
});

async function listLostByName(
  queries: SharedQueries,
  before: Integration[],
  rows: Integration[],
): Promise<Map<string, string[]>> {
  const lost = new Map<string, string[]>();
  for (const row of rows) {
    const old = before.find(({ id }) => id === row.id);
    lost.set(row.name, await describeLostNames(queries, old, row));
  }
  return lost;
}
