/** PUT /v1/projects/{projectIdOrName}/integrations:batch: deploys an amp.yaml. */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact } from "../../store/database.ts";
import { createdByOf } from "../created-by.ts";
import { stopReadingWhatIsGone } from "../installations/change-installation.ts";
import { checkedManifest, deployIntegrations, type DeployServices } from "./deploy-manifest.ts";
import { Destructive, IntegrationSchema, toIntegration, type Integration } from "../integration.ts";
import { listIntegrations } from "../../store/integrations.ts";
import type { ManifestIntegration } from "../../manifest/manifest.ts";
import type { Queries } from "../../store/database.ts";
import { lostNames, refuseLostNames, REMEDY } from "./lost-names.ts";
import { manifestSource, ManifestSourceSchema } from "./manifest-source.ts";

const WarningSchema = Type.Object(
  {
    rule: Type.String({ description: "Name of the rule that was broken." }),
    message: Type.String({ description: "Description of the warning." }),
    line: Type.Integer({ description: "Line in the manifest." }),
    column: Type.Integer({ description: "Column in the manifest." }),
    path: Type.String({ description: "JSON path in the manifest." }),
    remedy: Type.String({ description: "How to fix it." }),
  },
  { title: "ManifestWarning", description: "A warning about a manifest. The manifest is valid." },
);

export const batchUpsertIntegrations = (deps: DeployServices) =>
  projectEndpoint({
    operationId: "batchUpsertIntegrations",
    tag: "Integrations",
    summary: "Deploy a manifest",
    description:
      "Creates or updates all integrations of an `amp.yaml`, each with a new revision. If one cannot be deployed, none is. " +
      "Integrations that the file does not contain stay unchanged. An invalid manifest is refused with 422 " +
      "and one issue per fault, with line, column, rule and remedy.",
    query: Type.Object({
      destructive: Destructive,
    }),
    body: ManifestSourceSchema,
    success: {
      status: 200,
      description: "The integrations, each with the warnings about its part of the file.",
      schema: Type.Array(
        Type.Object(
          {
            ...IntegrationSchema.properties,
            warnings: Type.Array(WarningSchema, {
              description: "Warnings about this integration's part of the manifest.",
            }),
          },
          {
            title: "DeployedIntegration",
            description: "A deployed integration, with the warnings about its part of the manifest.",
          },
        ),
      ),
    },
    refusals: {
      409: "With `destructive=false`: installations can write to names that the manifest removes or renames.",
      422: "The manifest is invalid: one issue per fault, with line, column, rule and remedy.",
    },
    async handle({ project, query, body, caller }) {
      const source = await manifestSource(deps.database.queries, project.id, body);
      const { manifest, warnings } = await checkedManifest(deps, project.id, source);
      return transact(deps.database, async (queries) => {
        const before = await listIntegrations<ManifestIntegration>(queries, project.id);
        const rows = await deployIntegrations(queries, project.id, manifest, query.destructive === true);
        const lost = query.destructive ? undefined : await lostByName(queries, before, rows);
        if (query.destructive === false)
          for (const row of rows) refuseLostNames(row, lost?.get(row.name) ?? []);
        if (query.destructive) {
          const createdBy = createdByOf(caller, undefined, "batch-upsert-integrations");
          for (const row of rows) await stopReadingWhatIsGone(queries, row, createdBy);
        }
        return rows.map((row, index) => ({
          ...toIntegration(row),
          warnings: [
            ...warnings
              .filter(({ path }) => path.startsWith(`$.integrations[${index}]`))
              .map(({ severity: _severity, ...warning }) => warning),
            ...(lost?.get(row.name) ?? []).map((message) => ({ ...place(index), message: `${message}.` })),
          ],
        }));
      });
    },
  });

/** Returns the place of a warning about a name that the manifest no longer contains, so that no line fits. */
const place = (index: number) => ({
  rule: "written-names",
  line: 1,
  column: 1,
  path: `$.integrations[${index}].write`,
  remedy: REMEDY,
});

async function lostByName(
  queries: Queries,
  before: Integration[],
  rows: Integration[],
): Promise<Map<string, string[]>> {
  const lost = new Map<string, string[]>();
  for (const row of rows) {
    const old = before.find(({ id }) => id === row.id);
    lost.set(row.name, await lostNames(queries, old, row));
  }
  return lost;
}
