/** How long a project's data is kept: shape and endpoints. */
import { type Static, Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import {
  applyBounds,
  HISTORY_KINDS,
  type HistoryKind,
  computeRetentionBounds,
  type RetentionConfig,
} from "../../../ground/retention-bounds.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import {
  findOwnRetention,
  type OwnRetention,
  replaceOwnRetention,
} from "../../store/access/project-retention.ts";
import { PROJECT } from "../paths.ts";

export const listRetentionRoutes = (deps: { database: Database; config: RetentionConfig }): Route[] => [
  route(`GET ${PROJECT}/retention`, "full", getRetention(deps)),
  route(`PUT ${PROJECT}/retention`, "full", putRetention(deps)),
];

/** What each kind is, in the words of the reference. */
const KIND_DESCRIPTIONS: Record<HistoryKind, string> = {
  operations: "Ended operations with their logs, and consents.",
  events: "Events and deliveries, with data messages that were not delivered.",
  dataMessages: "Data messages that were delivered, which contain customers' records.",
  proxyCalls: "Lines about proxied calls.",
  refusedRequests: "Refused requests.",
  subscriptionEvents: "Events that providers pushed, and what became of them.",
};

const KeptSchema = Type.Object(
  {
    days: Type.Number({ description: "For how many days rows are kept." }),
    isOwn: Type.Boolean({
      description: "Whether the project has set the days. Otherwise they are those of this Busbar.",
    }),
    leastDays: Type.Number({ description: "The fewest days that the project may set." }),
    mostDays: Type.Number({ description: "The most days that it may set: the operator's setting." }),
  },
  { title: "KeptHistory", description: "How long a kind of history is kept." },
);

const describeKept = (kind: HistoryKind) => described(KeptSchema, KIND_DESCRIPTIONS[kind]);

const RetentionSchema = Type.Object(
  {
    operations: describeKept("operations"),
    events: describeKept("events"),
    dataMessages: describeKept("dataMessages"),
    proxyCalls: describeKept("proxyCalls"),
    refusedRequests: describeKept("refusedRequests"),
    subscriptionEvents: describeKept("subscriptionEvents"),
  },
  { title: "Retention", description: "How long a project keeps each kind of history." },
);

function toRetention(config: RetentionConfig, own: OwnRetention): Static<typeof RetentionSchema> {
  const bounds = computeRetentionBounds(config);
  const shown = HISTORY_KINDS.map((kind) => {
    const { leastDays, mostDays } = bounds[kind];
    const days = applyBounds(bounds[kind], own[kind]);
    return [kind, { days, isOwn: own[kind] !== undefined, leastDays, mostDays }];
  });
  // TypeScript does not know that all kinds are there.
  return Object.fromEntries(shown) as Static<typeof RetentionSchema>;
}

const getRetention = (deps: { database: Database; config: RetentionConfig }) =>
  projectEndpoint({
    operationId: "getRetention",
    tag: "Projects",
    summary: "Get how long a project keeps history",
    description:
      "Busbar's own. For each kind of history: the days that apply, and within which bounds they can be set.",
    success: { status: 200, description: "The retention.", schema: RetentionSchema },
    async handle({ project }) {
      return toRetention(deps.config, await findOwnRetention(deps.database.control, project.id));
    },
  });

const days = (kind: HistoryKind) => Type.Optional(Type.Number({ description: KIND_DESCRIPTIONS[kind] }));

const putRetention = (deps: { database: Database; config: RetentionConfig }) =>
  projectEndpoint({
    operationId: "putRetention",
    tag: "Projects",
    summary: "Set how long a project keeps history",
    description:
      "Busbar's own. Days for each kind of history, fractions included: `0.5` is twelve hours, `0` removes rows within ten " +
      "minutes. A kind that is left out is kept as long as this Busbar keeps it, which is also the most. Older rows are " +
      "removed from the next round on, at most ten minutes later, and cannot be brought back. The audit belongs to the " +
      "organisation and has no setting.",
    body: Type.Object({
      operations: days("operations"),
      events: days("events"),
      dataMessages: days("dataMessages"),
      proxyCalls: days("proxyCalls"),
      refusedRequests: days("refusedRequests"),
      subscriptionEvents: days("subscriptionEvents"),
    }),
    success: { status: 200, description: "The retention that applies now.", schema: RetentionSchema },
    refusals: { 422: "A number of days is out of its bounds: one issue each." },
    async handle({ project, body }) {
      requireBounds(deps.config, body);
      await transactControl(deps.database, (queries) => replaceOwnRetention(queries, project.id, body));
      return toRetention(deps.config, body);
    },
  });

/** Throws a 422 Problem that names the bounds of each wrong number, and what they come from. */
function requireBounds(config: RetentionConfig, own: OwnRetention): void {
  const bounds = computeRetentionBounds(config);
  const issues = HISTORY_KINDS.flatMap((kind) => {
    const { leastDays, least, mostDays, max } = bounds[kind];
    const value = own[kind];
    if (value === undefined || (value >= leastDays && value <= mostDays)) return [];
    const detail =
      value < leastDays
        ? `must be at least ${leastDays} days: ${least}`
        : `must be at most ${mostDays} days (${max})`;
    return [{ in: "body" as const, name: kind, detail, value }];
  });
  if (issues.length === 0) return;
  const detail = issues.map((issue) => `${issue.name}: ${issue.detail}`).join("; ");
  throw new Problem("semantically-invalid", { detail, issues });
}
