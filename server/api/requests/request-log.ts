/** Stores the refused requests of projects in batches, with a limit per project and minute. */
import { nowMs } from "../../../ground/clock.ts";
import { isUuid } from "../../../ground/ids.ts";
import type { Log } from "../../../ground/log.ts";
import type { RefusedRequest } from "../../http/known-callers.ts";
import { storeInBatches } from "../../jobs/stored-in-batches.ts";
import type { Database } from "../../store/database/database.ts";
import { insertRefusedRequests, type RefusedRequestRow } from "../../store/access/refused-requests.ts";

interface RequestLog {
  add(refused: RefusedRequest): void;
  close(): Promise<void>;
}

/** Enough to find a fault, too few to fill the table: 432,000 rows a day. */
const MAX_PER_MINUTE = 300;
const MINUTE_MS = 60_000;
const BATCH = 500;
const MAX_WAITING = 5_000;
const MAX_CHARACTERS = 1_024;

export function openRequestLog({ database, log }: { database: Database; log: Log }): RequestLog {
  const rows = storeInBatches<RefusedRequestRow>({
    what: "refused requests",
    log,
    batch: BATCH,
    maxWaiting: MAX_WAITING,
    insert: (batch) => insertRefusedRequests(database.control, batch),
  });
  let minute = 0;
  const counts = new Map<string, number>();
  return {
    add(refused) {
      const current = Math.floor(nowMs() / MINUTE_MS);
      if (current !== minute) counts.clear();
      minute = current;
      const count = (counts.get(refused.projectId) ?? 0) + 1;
      counts.set(refused.projectId, count);
      if (count > MAX_PER_MINUTE) return;
      const row = toRow(refused);
      rows.add(count < MAX_PER_MINUTE ? row : { ...row, detail: `${row.detail} ${LAST}` });
    },
    close: () => rows.close(),
  };
}

const LAST = `(Only ${MAX_PER_MINUTE} refused requests of a project are kept per minute: this minute's further ones are not listed.)`;

function toRow({ caller, problem, ...refused }: RefusedRequest): RefusedRequestRow {
  const key = hideKeyInPath(refused.path);
  const hideKey = (text: string) =>
    withoutSecrets(key === undefined ? text : text.replaceAll(key, `${key.slice(0, 4)}…`));
  return {
    id: refused.requestId,
    projectId: refused.projectId,
    method: refused.method,
    path: hideKey(refused.path).slice(0, MAX_CHARACTERS),
    operationId: refused.operationId,
    status: problem.status,
    slug: problem.slug,
    detail: hideKey(problem.options.detail).slice(0, MAX_CHARACTERS),
    apiKeyId: caller.apiKeyId ?? null,
    builderId: caller.builderId ?? null,
    groupRef: caller.groupRef ?? refused.groupRef ?? null,
  };
}

/** Returns the path segment where an API key's id belongs if it is not an id: it may be the key itself, or another secret. */
function hideKeyInPath(path: string): string | undefined {
  const name = /\/api-keys\/([^/:]+)/.exec(path)?.[1];
  return name === undefined || isUuid(name) ? undefined : name;
}

/** An API key can be named by its value, and a token be sent at a wrong place; PostgreSQL stores no NUL. */
const withoutSecrets = (text: string): string =>
  text.replaceAll(/\b(bbs?_[\w-]{4})[\w-]{8,}/g, "$1…").replaceAll("\0", "");
