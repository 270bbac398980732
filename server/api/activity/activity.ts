/** The activity of a project over time: the endpoint that the dashboard's graph reads. */
import { Type } from "typebox";
import { nowMs } from "../../../ground/clock.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { type ActivityRow, listDimensions } from "../../store/operations/count-activity.ts";
import { countInShards } from "../../store/shards/count-in-shards.ts";
import type { Database } from "../../store/database/database.ts";
import { refuseQuery, Unavailable } from "../pages.ts";
import { PROJECT } from "../paths.ts";
import { describeTime } from "../../../ground/described.ts";

export const listActivityRoutes = (deps: { database: Database }): Route[] => [
  route(`GET ${PROJECT}/activity`, "full", getActivity(deps)),
];

const OF = ["operations", "deliveries", "attempts", "records", "proxyCalls"] as const;
const BY = ["integration", "group", "object", "type", "destination", "status"] as const;
const Of = Type.Enum(OF, {
  description:
    "What is counted. `attempts`: of deliveries, at their own time; failed with an error or a status other than 2xx. `records`: those in messages, " +
    "read or subscribed.",
});
const By = Type.Optional(Type.Enum(BY, { description: "Count each value of this dimension apart." }));

const ValueSchema = Type.Object(
  {
    key: Type.Optional(
      Type.String({
        description:
          "Value of the dimension: an id, of customers the `groupRef`, otherwise the word. Absent without `by`, and for the " +
          "rest if there are more than 50 values.",
      }),
    ),
    count: Type.Integer({ description: "Number of rows." }),
    failed: Type.Integer({
      description: "Those that failed; of proxied calls with a status of 400 or more.",
    }),
    p50Ms: Type.Optional(Type.Integer({ description: "Median duration in milliseconds, to two digits." })),
    p95Ms: Type.Optional(
      Type.Integer({ description: "95 % took at most so many milliseconds, to two digits." }),
    ),
  },
  { title: "ActivityValue", description: "A count of rows." },
);

const ActivitySchema = Type.Object(
  {
    of: Of,
    by: By,
    since: describeTime("Beginning of the first bucket."),
    until: describeTime("End of the last bucket."),
    countedSince: Type.Optional(
      describeTime(
        "Only rows from this time on were counted, because the time has more rows than one call counts.",
      ),
    ),
    bucketSeconds: Type.Integer({ description: "Length of a bucket." }),
    buckets: Type.Array(
      Type.Object(
        {
          time: describeTime("Beginning of the bucket."),
          values: Type.Array(ValueSchema, { description: "Counts; empty without rows." }),
        },
        { title: "ActivityBucket", description: "The counts of a period." },
      ),
      { description: "All buckets, in order." },
    ),
    totals: Type.Array(ValueSchema, { description: "Counts of the whole time." }),
    unavailable: Type.Optional(Unavailable),
  },
  { title: "Activity", description: "Counts by period." },
);

const MAX_BUCKETS = 90;
const HOUR_MS = 60 * 60_000;

const getActivity = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getActivity",
    tag: "Operations",
    summary: "Count operations, deliveries, attempts, records or proxied calls",
    description:
      "By period, and by one dimension; with `key`, of one of its values alone. A row counts once, in the bucket of its beginning, so the counts are the numbers of " +
      "rows that the list shows for the same time. `since` and `until` are extended to whole buckets. A call counts the " +
      "newest 500,000 rows of its time at most, and says so in `countedSince`.",
    query: Type.Object({
      of: Of,
      by: By,
      key: Type.Optional(
        Type.String({
          maxLength: 500,
          description:
            "Count only rows with this value of `by`: an id, of customers the `groupRef`, otherwise the word.",
        }),
      ),
      since: Type.Optional(describeTime("Beginning, inclusive. Default: an hour before `until`.")),
      until: Type.Optional(describeTime("End, exclusive. Default: now.")),
      bucketSeconds: Type.Optional(
        Type.Integer({
          minimum: 60,
          multipleOf: 60,
          description:
            "Length of a bucket, whole minutes. There can be 90 buckets. Default: the shortest possible.",
        }),
      ),
    }),
    hasEntityTag: true,
    success: { status: 200, description: "The counts.", schema: ActivitySchema },
    async handle({ project, query }) {
      const { of, by, key } = query;
      if (key !== undefined && by === undefined)
        throw refuseQuery("key", "needs `by`, the dimension that it is a value of.");
      if (by !== undefined && !listDimensions(of).includes(by))
        throw refuseQuery("by", `\`${of}\` are counted by ${listDimensions(of).join(", ")}.`);
      const { bounds, bucketSeconds } = buildBuckets(query);
      const question = { projectId: project.id, by, key, bounds };
      const { rows, countedSince, unavailable } = await countInShards(deps.database, of, question);
      const byBucket = Map.groupBy(rows, ({ bucket }) => bucket ?? 0);
      const iso = (at: number) => bounds.at(at)?.toISOString() ?? "";
      return {
        of,
        ...(by && { by }),
        since: iso(0),
        until: iso(-1),
        ...(countedSince && { countedSince: countedSince.toISOString() }),
        bucketSeconds,
        buckets: bounds.slice(0, -1).map((time, index) => ({
          time: time.toISOString(),
          values: (byBucket.get(index + 1) ?? []).map(toValue),
        })),
        totals: (byBucket.get(0) ?? []).map(toValue),
        ...(unavailable.length > 0 && { unavailable }),
      };
    },
  });

/** Returns the beginnings of the buckets and the end of the last one. Throws a 400 Problem. */
function buildBuckets(query: { since?: string; until?: string; bucketSeconds?: number }) {
  const untilMs = query.until === undefined ? nowMs() : Date.parse(query.until);
  const sinceMs = query.since === undefined ? untilMs - HOUR_MS : Date.parse(query.since);
  if (Number.isNaN(sinceMs)) throw refuseQuery("since", "is not a time that exists.");
  if (Number.isNaN(untilMs)) throw refuseQuery("until", "is not a time that exists.");
  if (untilMs < sinceMs) throw refuseQuery("until", "is before `since`.");
  const leastMinutes = Math.max(1, Math.ceil((untilMs - sinceMs) / MAX_BUCKETS / 60_000));
  const bucketSeconds = query.bucketSeconds ?? leastMinutes * 60;
  const bucketMs = bucketSeconds * 1_000;
  if ((untilMs - sinceMs) / bucketMs > MAX_BUCKETS)
    throw refuseQuery(
      "bucketSeconds",
      `must be at least ${leastMinutes * 60} for this time: there can be 90 buckets.`,
    );
  const first = Math.floor(sinceMs / bucketMs);
  // At least one bucket, also for an empty period.
  const end = Math.max(first + 1, Math.ceil(untilMs / bucketMs));
  const bounds = Array.from({ length: end - first + 1 }, (_, at) => new Date((first + at) * bucketMs));
  return { bounds, bucketSeconds };
}

const toValue = ({ key, count, failed, p50Ms, p95Ms }: ActivityRow) => ({
  ...(key !== null && { key }),
  count,
  failed,
  ...(p50Ms !== null && { p50Ms: Math.round(p50Ms) }),
  ...(p95Ms !== null && { p95Ms: Math.round(p95Ms) }),
});
