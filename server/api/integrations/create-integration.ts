/** POST /v1/projects/{projectIdOrName}/integrations */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { ManifestIntegrationSchema } from "../../../manifest/manifest.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact } from "../../store/database.ts";
import { insertIntegration } from "../../store/integrations.ts";
import { showAuthor } from "../created-by.ts";
import { checkedEntry, type DeployServices } from "./deploy-manifest.ts";

export const createIntegration = (deps: DeployServices) =>
  projectEndpoint({
    operationId: "createIntegration",
    tag: "Integrations",
    summary: "Create an integration",
    description:
      "From the content of one manifest entry instead of a file. `name` and `provider` must be the same as there.",
    body: Type.Object({
      name: Type.String({ minLength: 1, description: "Name of the integration, unique in the project." }),
      provider: Type.String({
        minLength: 1,
        description: "The provider's name in the catalog (`GET /v1/providers`).",
      }),
      latestRevision: Type.Object(
        {
          specVersion: Type.String({ description: "Version of the manifest format: `1.0.0`." }),
          content: Type.Record(Type.String(), Type.Unknown(), {
            shownAs: ManifestIntegrationSchema,
            description: "The integration, as in the manifest.",
          }),
        },
        { description: "The current revision." },
      ),
    }),
    success: { status: 201, description: "The integration was created." },
    refusals: {
      409: "The project has an integration of this name.",
      422: "The content is invalid: one issue per fault.",
    },
    async handle({ project, body, caller }) {
      const { name, provider, latestRevision } = body;
      const entry = { name, provider, ...latestRevision.content };
      const { specVersion, integrations } = await checkedEntry(deps, project.id, {
        specVersion: latestRevision.specVersion,
        entry,
      });
      const [content] = integrations;
      if (!content || content.name !== name || content.provider !== provider) {
        const detail = "`name` and `provider` differ from those in `latestRevision.content`.";
        throw new Problem("semantically-invalid", { detail });
      }
      const created = await transact(deps.database, async (queries) =>
        insertIntegration(queries, {
          projectId: project.id,
          name,
          provider,
          specVersion,
          content,
          createdBy: showAuthor(caller),
        }),
      );
      if (created) return;
      throw new Problem("conflict", {
        detail: `There is an integration \`${name}\` already. Deploy a new revision of it.`,
      });
    },
  });
