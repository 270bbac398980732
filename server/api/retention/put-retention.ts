/** PUT /v1/projects/{projectIdOrName}/retention */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import {
  HISTORY_KINDS,
  retentionBounds,
  type HistoryKind,
  type RetentionConfig,
} from "../../../ground/retention-bounds.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { transact, type Database } from "../../store/database.ts";
import { replaceOwnRetention, type OwnRetention } from "../../store/project-retention.ts";
import { KIND_DESCRIPTIONS, RetentionSchema, toRetention } from "./retention-schema.ts";

const days = (kind: HistoryKind) => Type.Optional(Type.Number({ description: KIND_DESCRIPTIONS[kind] }));

export const putRetention = (deps: { database: Database; config: RetentionConfig }) =>
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
      await transact(deps.database, (queries) => replaceOwnRetention(queries, project.id, body));
      return toRetention(deps.config, body);
    },
  });

/** Throws a 422 Problem that names the bounds of each wrong number, and what they come from. */
function requireBounds(config: RetentionConfig, own: OwnRetention): void {
  const bounds = retentionBounds(config);
  const issues = HISTORY_KINDS.flatMap((kind) => {
    const { leastDays, least, mostDays, most } = bounds[kind];
    const value = own[kind];
    if (value === undefined || (value >= leastDays && value <= mostDays)) return [];
    const detail =
      value < leastDays
        ? `must be at least ${leastDays} days: ${least}`
        : `must be at most ${mostDays} days (${most})`;
    return [{ in: "body" as const, name: kind, detail, value }];
  });
  if (issues.length === 0) return;
  const detail = issues.map((issue) => `${issue.name}: ${issue.detail}`).join("; ");
  throw new Problem("semantically-invalid", { detail, issues });
}
