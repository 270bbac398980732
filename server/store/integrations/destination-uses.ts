/** Uses of a destination by name, in manifests and customers' configurations. Routes of topics do not count. */
import { sql } from "kysely";
import type { SharedQueries } from "../database/sides.ts";

export interface DestinationUse {
  integrationName: string;
  /** Whether the newest revision names it. */
  isDeclared: boolean;
  /** Number of customers' configurations that name it. */
  installationCount: number;
}

/** Lists the integrations that read, subscribe or watch schemas into the destination of this name. */
export async function listDestinationUses(
  queries: SharedQueries,
  projectId: string,
  name: string,
): Promise<DestinationUse[]> {
  const { rows } = await sql<DestinationUse>`
    with declared as (
      select integrations.id from integrations
      cross join lateral (
        select content from revisions where integration_id = integrations.id order by seq desc limit 1
      ) latest
      where integrations.project_id = ${projectId} and jsonb_path_exists(latest.content::jsonb, ${IN_MANIFEST}, jsonb_build_object('name', ${name}::text))
    ), configured as (
      select installations.integration_id as id, count(*)::integer as number from installations
      cross join lateral (
        select content from configs where installation_id = installations.id order by seq desc limit 1
      ) latest
      where installations.project_id = ${projectId} and jsonb_path_exists(latest.content::jsonb, ${IN_CONFIG}, jsonb_build_object('name', ${name}::text))
      group by installations.integration_id
    )
    select integrations.name as "integrationName", declared.id is not null as "isDeclared",
      coalesce(configured.number, 0) as "installationCount"
    from integrations
    left join declared on declared.id = integrations.id
    left join configured on configured.id = integrations.id
    where integrations.project_id = ${projectId} and (declared.id is not null or configured.id is not null)
    order by integrations.name
  `.execute(queries);
  return rows;
}

/** Path that a manifest's content has if it names the destination `$name`. */
const IN_MANIFEST = sql.lit(
  "$ ? (@.read.objects[*].destination == $name || @.subscribe.objects[*].destination == $name || @.watchSchema.destination == $name)",
);
const IN_CONFIG = sql.lit(
  "$ ? (@.read.objects.*.destination == $name || @.subscribe.objects.*.destination == $name)",
);
