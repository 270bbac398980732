/** PUT /v1/projects/{projectIdOrName}/integrations:batch: deploys an amp.yaml. */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact } from "../../store/database.ts";
import { createdByOf } from "../created-by.ts";
import { stopReadingWhatIsGone } from "../installations/change-installation.ts";
import { checkedManifest, deployIntegrations, type DeployServices } from "./deploy-manifest.ts";
import { DESTRUCTIVE, IntegrationSchema, toIntegration } from "../integration.ts";
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
      "Creates or updates all integrations of an `amp.yaml`, each with a new revision, all or none. " +
      "Integrations that the file does not contain stay unchanged. An invalid manifest is refused with 422 " +
      "and one issue per fault, with line, column, rule and remedy.",
    query: Type.Object({
      destructive: Type.Optional(
        Type.Boolean({
          description: DESTRUCTIVE,
        }),
      ),
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
    refusals: { 422: "The manifest is invalid: one issue per fault, with line, column, rule and remedy." },
    async handle({ project, query, body, caller }) {
      const source = await manifestSource(deps.database.queries, project.id, body);
      const { manifest, warnings } = await checkedManifest(deps, project.id, source);
      return transact(deps.database, async (queries) => {
        const rows = await deployIntegrations(queries, project.id, manifest);
        if (query.destructive) {
          const createdBy = createdByOf(caller, undefined, "batch-upsert-integrations");
          for (const row of rows) await stopReadingWhatIsGone(queries, row, createdBy);
        }
        return rows.map((row, index) => ({
          ...toIntegration(row),
          warnings: warnings
            .filter(({ path }) => path.startsWith(`$.integrations[${index}]`))
            .map(({ severity: _severity, ...warning }) => warning),
        }));
      });
    },
  });
