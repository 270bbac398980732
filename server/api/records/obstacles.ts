/** Finds out what keeps records of an object from arriving, for the trace of a record, even of one that was never seen. */
import { now } from "../../../ground/clock.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import { findReadDefinition, type ConfiguredFilter } from "../../read/definition/read-definition.ts";
import { readSources } from "../../read/definition/read-sources.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import {
  DESTINATION_DETAILS,
  listHealthReasons,
  type HealthReason,
  type LocatedReason,
  REFUSED_CONNECTION,
  SCHEMA_REFUSED,
} from "../../store/integrations/installation-health.ts";
import type { InstallationRow } from "../../store/integrations/installations.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { findGate } from "../../store/connections/connection-gates.ts";
import { findBackfill, findReadObject, type ReadObjectRow } from "../../store/reads/read-objects.ts";
import { listObjectRuns, type ObjectRun } from "../../store/reads/object-runs.ts";
import { subscribeDefinitions } from "../../subscribe/definition/subscribe-definition.ts";
import { explainSilence } from "../../subscribe/setup/explain-silence.ts";
import { listSubscriptions, type SubscriptionRow } from "../../store/subscriptions/subscriptions.ts";

export interface Obstacle {
  detail: string;
  remedy: string;
}

interface Traced {
  integration: IntegrationRow<ManifestIntegration>;
  installation: InstallationRow<ConfigContent>;
  /** The provider's name. */
  objectName: string;
}

interface Known {
  /** Adds what keeps a record from ever being seen. */
  neverSeen: boolean;
}

/** Lists the obstacles to an object's records, the likeliest first. */
export async function listObstacles(
  queries: DataQueries,
  traced: Traced,
  { neverSeen }: Known,
): Promise<Obstacle[]> {
  const { integration, installation, objectName } = traced;
  const { id, projectId, config } = installation;
  const [row, runs, subscriptions, reasons, sources, gate] = await Promise.all([
    findReadObject(queries, id, objectName),
    listObjectRuns(queries, id, objectName),
    listSubscriptions(queries, projectId, id),
    listHealthReasons(queries, [id]),
    readSources(queries, integration, config.content),
    findGate(queries, installation.connectionId),
  ]);
  const definition = findReadDefinition(sources, objectName);
  const isSubscribed = subscriptions.some((one) => one.objectName === objectName && one.state !== "disabled");
  const isRead = row !== undefined && !row.disabled;
  const subscription = subscriptions.find((one) => one.objectName === objectName);
  const about = { objectName, destinations: [row?.destination, subscription?.destination] };
  const concerning = sortReasons((reasons.get(id) ?? []).filter((reason) => concernsObject(reason, about)));
  const isPaused = row?.pause?.by === "auto";
  const obstacles = concerning.map((reason) => describeReason(reason, isPaused));
  if (!isRead && !isSubscribed) {
    // It is a worker that begins to read what was installed.
    if (concerning.some(({ type }) => type === "worker") && definition && !definition.disabled)
      return obstacles;
    return [definition?.disabled ? DISABLED : explainNotInstalled(objectName), ...obstacles];
  }
  if (row?.pause?.by === "api") obstacles.push(describePause(row.pause, objectName));
  const waiting = runs.find(({ waitsFor }) => waitsFor !== null);
  // A reason of the health that names the operation has said it.
  if (
    isRead &&
    waiting &&
    !row.pause &&
    !concerning.some(({ operationId }) => operationId === waiting.operationId)
  )
    obstacles.push(describeWait(waiting));
  if (isRead && definition) {
    const filters = [...definition.filters, ...definition.backfillFilters];
    if (filters.length > 0) obstacles.push(describeFilters(filters));
  }
  if (isRead && (neverSeen || !isSubscribed))
    obstacles.push(
      describeProgress(row, {
        run: runs.find(({ kind }) => kind === "scheduled"),
        isSubscribed,
        isBlocked: concerning.some(keepsFromReading),
        closedUntil: gate?.closedUntil,
      }),
    );
  const silence = subscription && explainSilence(subscription);
  if (neverSeen && silence !== undefined) obstacles.push({ detail: silence, remedy: COMPARE_REGISTRATION });
  if (neverSeen && isRead) obstacles.push(...(await listLimits(queries, row)));
  if (neverSeen && !isRead && subscription) obstacles.push(describeReports(subscription));
  const reported = isSubscribed && subscribeDefinitions(sources).find((one) => one.objectName === objectName);
  if (!(isRead && definition?.deletedRecords) && !(reported && reported.events.delete))
    obstacles.push(describeUntoldDeletions(objectName));
  return obstacles;
}

interface Concerned {
  objectName: string;
  /** Destinations of the object's records. */
  destinations: (string | null | undefined)[];
}

/** Returns whether a reason keeps away records of the object, and not only those of others. */
const concernsObject = (
  { type, name, detail, objectName }: LocatedReason,
  { objectName: traced, destinations }: Concerned,
): boolean => {
  if (type === "write" || detail.startsWith(SCHEMA_REFUSED)) return false;
  return type === "destination" ? destinations.includes(name) : [null, traced].includes(objectName);
};

/** Ordered from cause to consequence: a read may only fail because of what is above it. */
const LIKELIEST: HealthReason["type"][] = [
  "worker",
  "connection",
  "destination",
  "object",
  "field",
  "subscription",
  "read",
  "write",
];

const sortReasons = (reasons: LocatedReason[]): LocatedReason[] =>
  reasons.toSorted(({ type: one }, { type: other }) => LIKELIEST.indexOf(one) - LIKELIEST.indexOf(other));

const COMPARE_REGISTRATION =
  "If the record has changed, compare what is registered at the provider (`subscribe-setup`) with what the subscription wants.";

const DISABLED: Obstacle = {
  detail: "The customer's configuration has disabled the object, so it is not read.",
  remedy: "Take `disabled` out of the configuration.",
};

const explainNotInstalled = (objectName: string): Obstacle => ({
  detail: `This installation neither reads \`${objectName}\` nor subscribes to its changes.`,
  remedy: `Add it to the customer's configuration (\`read.objects\` or \`subscribe.objects\`), if the manifest declares it there.`,
});

const REMEDIES: Record<
  Exclude<HealthReason["type"], "destination">,
  (name: string, detail: string, isPaused: boolean) => string
> = {
  connection: (_, detail) =>
    detail === REFUSED_CONNECTION
      ? "The customer connects the account again."
      : "Mend what it names; what waits goes on by itself.",
  field: (name) => `Map another field in place of \`${name}\`, or the customer makes it visible again.`,
  object: () => "The customer gives access to the object, or it is taken out of the configuration.",
  read: (_name, _detail, isPaused) =>
    `Look at the log of the object's latest read operation${isPaused ? "; the object is paused and goes on with `:unpause`" : ""}.`,
  subscription: () => "Look at the installation's subscriptions, and mend what their `reason` says.",
  write: () => "Look at the log of the operation; what waits is sent when the provider takes it again.",
  worker: () => "Start one (`BUSBAR_ROLES`), or look at the log of the one that should run.",
};

const describeReason = ({ type, name, detail, since }: HealthReason, isPaused: boolean): Obstacle => ({
  detail: `Since ${since.toISOString()}, ${type} \`${name}\`: ${detail}`,
  remedy:
    type === "destination" ? describeDestinationRemedy(name, detail) : REMEDIES[type](name, detail, isPaused),
});

function describeDestinationRemedy(name: string, detail: string): string {
  if (detail.startsWith(DESTINATION_DETAILS.failing))
    return "Mend the receiver; what waits is sent after the first success, and what failed for good can be resent.";
  if (detail.startsWith(DESTINATION_DETAILS.disabled))
    return "Mend the receiver, enable the destination by a new `metadata.url` or by `:rotate`, and resend what failed.";
  return `Create a destination \`${name}\`: what waits is sent there.`;
}

const describePause = (pause: NonNullable<ReadObjectRow["pause"]>, objectName: string): Obstacle => ({
  detail: `Reading of \`${objectName}\` was paused by a request at ${pause.time}${pause.note ? `: ${pause.note}` : ""}.`,
  remedy: "Go on with `:unpause`; the changes since then are read.",
});

function describeFilters(filters: ConfiguredFilter[]): Obstacle {
  const conditions = new Set(
    filters.map(({ fieldName, value }) => `\`${fieldName}\` = ${JSON.stringify(value)}`),
  );
  return {
    detail: `The customer's configuration reads only records with ${[...conditions].join(" and ")}; the provider shows no others.`,
    remedy: "Compare the record with these filters (`fieldFilters`).",
  };
}

/** Returns whether the reason keeps scheduled reads from starting: without credentials, a destination or a worker. */
const keepsFromReading = ({ type, detail }: HealthReason): boolean =>
  type === "connection" ||
  type === "worker" ||
  (type === "destination" && !detail.startsWith(DESTINATION_DETAILS.failing));

const WAITS: Record<NonNullable<ObjectRun["waitsFor"]>, [what: string, remedy: string]> = {
  rate_limit: [
    "the provider's rate limit",
    "It goes on by itself. All requests of the account count against this limit, also those of writes, proxied calls and other software.",
  ],
  calls: [
    "free daily calls of the account",
    "It goes on by itself, when the account has free calls again; or the customer raises the account's limit.",
  ],
  provider: ["the provider, which gave no page", "It is tried again by itself."],
  destination: [
    "its destination, which has not taken the messages so far",
    "Look at the waiting deliveries of the destination; the read goes on when it has taken them.",
  ],
  credentials: ["credentials that the provider accepts", "The customer connects the account again."],
};

/** Describes what a read that has begun waits for. */
function describeWait({ operationId, dueTime, waitsFor, waitingSince }: ObjectRun): Obstacle {
  const [what, remedy] = WAITS[waitsFor ?? "provider"];
  const since = waitingSince ? ` since ${waitingSince.toISOString()}` : "";
  return {
    detail: `A read waits${since} for ${what}; the next attempt is at ${dueTime.toISOString()}: operation ${operationId}.`,
    remedy,
  };
}

interface Progress {
  run: ObjectRun | undefined;
  isSubscribed: boolean;
  isBlocked: boolean;
  /** Until when nothing is sent for the connection. */
  closedUntil: Date | undefined;
}

/** Describes when the object was last read, and when it is read next: a later change cannot have arrived by reading. */
function describeProgress(
  { cursorTime, pause, nextTick }: ReadObjectRow,
  { run, isSubscribed, isBlocked, closedUntil }: Progress,
): Obstacle {
  const until = `Changes up to ${cursorTime.toISOString()} have been read`;
  if (pause)
    return {
      detail: `${until}; no read is planned while it is paused.`,
      remedy: "Go on with `:unpause` when the cause is mended; the changes since then are read.",
    };
  if (isBlocked)
    return {
      detail: `${until}; no read begins before the above is mended.`,
      remedy: "Mend it; the changes since then are read.",
    };
  if (run)
    return {
      detail: `${until}; a read has begun, and the next one starts after its end: operation ${run.operationId}.`,
      remedy: "Look at the operation: what it reads comes while it runs, later changes with the next read.",
    };
  if (closedUntil && closedUntil > (nextTick ?? now()))
    return {
      detail: `${until}; the provider's rate limit of the account is reached, so nothing is read before ${closedUntil.toISOString()}.`,
      remedy: WAITS.rate_limit[1],
    };
  const next = nextTick
    ? `the next read is due at ${nextTick.toISOString()}`
    : "there is no schedule, so the next read is one that is requested";
  return {
    detail: `${until}; ${next}.`,
    remedy: isSubscribed
      ? "A later change comes with the next read, or is reported before."
      : "A later change comes with the next read: wait for it, or read now (`busbar read`).",
  };
}

/** Describes what was reported of an object that is not read: nobody has ever looked at records that did not change. */
function describeReports({
  objectName,
  state,
  polledUntil,
  pollTime,
  lastEventTime,
}: SubscriptionRow): Obstacle {
  const known =
    state === "pending"
      ? "the subscription is still being set up"
      : polledUntil && pollTime
        ? `changes were looked for up to ${polledUntil.toISOString()}`
        : lastEventTime
          ? `the last change of any record was reported at ${lastEventTime.toISOString()}`
          : "no change of any record has been reported yet";
  return {
    detail: `\`${objectName}\` is not read, only its changes are subscribed to; ${known}.`,
    remedy: `A record arrives with its next change. ${COMPARE_REGISTRATION} To get existing records, read the object, too.`,
  };
}

/** The last line of a deleted record would look as if nothing had happened since. */
const describeUntoldDeletions = (objectName: string): Obstacle => ({
  detail: `Deletions of \`${objectName}\` are neither read nor subscribed to: nothing here says that a record was deleted at the provider.`,
  remedy:
    "Look for the record there. `deletedRecords: always` at the manifest's read object delivers deletions, where the provider tells them.",
});

/** Lists why existing records may not have arrived. */
async function listLimits(queries: DataQueries, row: ReadObjectRow): Promise<Obstacle[]> {
  const limits: Obstacle[] = [];
  const backfill = await findBackfill(queries, row);
  if (backfill?.status === "in_progress")
    limits.push({
      detail: `The backfill has not ended: operation ${backfill.id}.`,
      remedy: "Wait for its end; the operation says what it waits for.",
    });
  const { floorTime } = row;
  if (floorTime !== null)
    limits.push({
      detail: `There was no backfill: records that last changed before ${floorTime.toISOString()}, when the object was installed, are not read.`,
      remedy: "Read the past once: `busbar read` with `--since`.",
    });
  return limits;
}
