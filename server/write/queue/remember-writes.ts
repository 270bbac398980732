/** Remembers what a write wrote, so that changes that only show it are recognised. */
import type { Connector, RecordOutcome } from "../../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../../connector-kit/calls/provider-fetch.ts";
import { ownKeys, ownWrites } from "../../operations/own-changes.ts";
import type { Database } from "../../store/database/database.ts";
import { ignoreDatabaseOutage } from "../../store/database/database-outage.ts";
import { insertOwnWrites } from "../../store/operations/own-writes.ts";
import type { WritePlan } from "../plan-write.ts";

interface Sent {
  connector: Connector;
  connectionId: string;
  operationId: string;
  tookMs: number;
  answerTime: Date | undefined;
}

/** While the database is down nothing is remembered: the changes are delivered. */
export async function rememberWrites(
  { database }: { database: Database },
  { connector, connectionId, ...sent }: Sent,
  { plan, outcomes }: { plan: WritePlan; outcomes: RecordOutcome[] },
): Promise<void> {
  // The other providers neither report nor show changes of which the cause could be reported.
  if (!connector.subscribe) return;
  const { objectKey, recordKey } = ownKeys(connector, plan.objectName);
  const { type, records } = plan;
  const writes = ownWrites({ ...sent, type, records, outcomes, recordKey });
  await ignoreDatabaseOutage(() => insertOwnWrites(database.data, { connectionId, objectKey }, writes));
}

/** Sends as `fetch` does, and keeps the time of the newest answer by the provider's clock. */
export function timedFetch(fetch: ProviderFetch): { fetch: ProviderFetch; answerTime(): Date | undefined } {
  let time: Date | undefined;
  return {
    answerTime: () => time,
    fetch: async (request) => {
      const answer = await fetch(request);
      const reported = new Date(answer.headers.date ?? "");
      if (!Number.isNaN(reported.getTime())) time = reported;
      return answer;
    },
  };
}
