/** Pushes of a provider that were refused for their signature, since the last one that was accepted. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";

interface Pushing {
  projectId: string;
  provider: string;
}

export interface RefusedPushes {
  firstTime: Date;
  lastTime: Date;
}

export async function noteRefusedPush(
  queries: ControlQueries,
  { projectId, provider }: Pushing,
): Promise<void> {
  await queries
    .insertInto("refusedPushes")
    .values({ projectId, provider })
    .onConflict((conflict) =>
      conflict.columns(["projectId", "provider"]).doUpdateSet({ lastTime: sql<Date>`now()` }),
    )
    .execute();
}

export async function forgetRefusedPushes(
  queries: ControlQueries,
  { projectId, provider }: Pushing,
): Promise<void> {
  await queries
    .deleteFrom("refusedPushes")
    .where("projectId", "=", projectId)
    .where("provider", "=", provider)
    .execute();
}

export const findRefusedPushes = (
  queries: ControlQueries,
  { projectId, provider }: Pushing,
): Promise<RefusedPushes | undefined> =>
  queries
    .selectFrom("refusedPushes")
    .select(["firstTime", "lastTime"])
    .where("projectId", "=", projectId)
    .where("provider", "=", provider)
    .executeTakeFirst();
