/** How long a project keeps each kind of history, as the API shows it. */
import { Type, type Static } from "typebox";
import { described } from "../../../ground/described.ts";
import {
  appliedDays,
  HISTORY_KINDS,
  retentionBounds,
  type HistoryKind,
  type RetentionConfig,
} from "../../../ground/retention-bounds.ts";
import type { OwnRetention } from "../../store/project-retention.ts";

/** What each kind is, in the words of the reference. */
export const KIND_DESCRIPTIONS: Record<HistoryKind, string> = {
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

const kept = (kind: HistoryKind) => described(KeptSchema, KIND_DESCRIPTIONS[kind]);

export const RetentionSchema = Type.Object(
  {
    operations: kept("operations"),
    events: kept("events"),
    dataMessages: kept("dataMessages"),
    proxyCalls: kept("proxyCalls"),
    refusedRequests: kept("refusedRequests"),
    subscriptionEvents: kept("subscriptionEvents"),
  },
  { title: "Retention", description: "How long a project keeps each kind of history." },
);

export function toRetention(config: RetentionConfig, own: OwnRetention): Static<typeof RetentionSchema> {
  const bounds = retentionBounds(config);
  const shown = HISTORY_KINDS.map((kind) => {
    const { leastDays, mostDays } = bounds[kind];
    const days = appliedDays(bounds[kind], own[kind]);
    return [kind, { days, isOwn: own[kind] !== undefined, leastDays, mostDays }];
  });
  // TypeScript does not know that all kinds are there.
  return Object.fromEntries(shown) as Static<typeof RetentionSchema>;
}
