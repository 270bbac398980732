/** POST /v1/projects/{projectIdOrName}/integrations/{integrationId}/revisions */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact } from "../../store/database.ts";
import { showAuthor, showCreatedBy } from "../created-by.ts";
import { stopReadingWhatIsGone } from "../installations/change-installation.ts";
import { insertManifestSource } from "../../store/integrations.ts";
import { IntegrationIdOrName } from "../members.ts";
import { checkedManifest, deployIntegration, type DeployServices } from "./deploy-manifest.ts";
import { Destructive, getIntegrationRow } from "../integration.ts";
import { checkedProviders, storeProviders } from "./deploy-providers.ts";
import { lostNames, refuseLostNames } from "./lost-names.ts";
import { manifestSource, ManifestSourceSchema } from "./manifest-source.ts";

export const createRevision = (deps: DeployServices) =>
  projectEndpoint({
    operationId: "createRevision",
    tag: "Integrations",
    summary: "Deploy one integration",
    description:
      "Creates a new revision of the integration from the manifest's entry of the same name. `providers` are deployed with it.",
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    query: Type.Object({ destructive: Destructive }),
    body: ManifestSourceSchema,
    success: { status: 201, description: "The revision was created." },
    refusals: {
      409: "With `destructive=false`: installations can write to names that the manifest removes or renames.",
      422: "The manifest is invalid or has no integration of this name.",
    },
    async handle({ project, params, query, body, caller }) {
      const { queries } = deps.database;
      const { name } = await getIntegrationRow(queries, project.id, params.integrationId);
      const { source, documents } = await manifestSource(queries, project.id, body);
      const providers = await checkedProviders(deps, documents);
      const { manifest } = await checkedManifest(deps, project.id, { source, providers });
      const content = manifest.integrations.find((integration) => integration.name === name);
      if (!content) {
        throw new Problem("semantically-invalid", {
          detail: `The manifest has no integration named \`${name}\`.`,
        });
      }
      await transact(deps.database, async (inside) => {
        await storeProviders(inside, project.id, providers, documents);
        const before = await getIntegrationRow(inside, project.id, name);
        const destructive = query.destructive === true;
        await deployIntegration(inside, project.id, {
          specVersion: manifest.specVersion,
          content,
          destructive,
          createdBy: showAuthor(caller),
          sourceId: await insertManifestSource(inside, { projectId: project.id, source }),
        });
        const row = await getIntegrationRow(inside, project.id, name);
        if (query.destructive === false) refuseLostNames(row, await lostNames(inside, before, row));
        if (!query.destructive) return;
        await stopReadingWhatIsGone(inside, row, showCreatedBy(caller, undefined, "create-revision"));
      });
      if (providers.size > 0) await deps.ownProviders.load(deps, project.id);
    },
  });
