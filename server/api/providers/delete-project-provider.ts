/** DELETE /v1/projects/{projectIdOrName}/providers/{provider} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { OwnProviderMemory } from "../../operations/own-provider-memory.ts";
import { transact, type Database } from "../../store/database.ts";
import { lockOwnProvider, removeOwnProvider, type ProviderUses } from "../../store/own-providers.ts";
import { noOwnProvider, OwnProviderKey } from "./own-provider.ts";

export const deleteProjectProvider = (deps: {
  database: Database;
  ownProviders: OwnProviderMemory;
  log: Log;
}) =>
  projectEndpoint({
    operationId: "deleteProjectProvider",
    tag: "Providers",
    summary: "Delete a provider of your own",
    description:
      "Busbar's own. Refused while connections, integrations or provider apps use it. Ends the attempts of customers to connect.",
    params: Type.Object({ provider: OwnProviderKey }),
    success: { status: 204, description: "Deleted." },
    refusals: { 409: "Connections, integrations or provider apps use the provider." },
    async handle({ project, params: { provider: key } }) {
      await transact(deps.database, async (queries) => {
        const uses = await lockOwnProvider(queries, project.id, key);
        if (!uses) throw noOwnProvider(key);
        const used = usesIn(uses);
        if (used !== "")
          throw new Problem("conflict", { detail: `${key} is used by ${used}. Delete them first.` });
        await removeOwnProvider(queries, project.id, key);
      });
      await deps.ownProviders.load(deps, project.id);
    },
  });

const usesIn = ({ connections, integrations, providerApps }: ProviderUses): string =>
  [
    [connections, "connection"] as const,
    [integrations, "integration"] as const,
    [providerApps, "provider app"] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`)
    .join(", ");
