/**
 * The side of each table: control tables stay in one database, data tables can be spread over several. A statement names tables
 * of one side only, so that it runs in one of these databases; today one database has both
 * (docs/decisions/0042-control-and-data.md).
 */
import type { ColumnType, Kysely, SelectType, Transaction } from "kysely";
import type { DB } from "./rows.gen.ts";

/**
 * - `control`: one place for all customers. Nobody reads it while a call to a provider or a delivery is carried out.
 * - `shared`: written like a control table, and read on both sides: PostgreSQL replicates it into each database with data. Small.
 * - `data`: grows with the traffic of customers, and names rows of one customer.
 * - `own`: each database has its own rows, about itself.
 */
export type Side = "control" | "shared" | "data" | "own";

export const TABLE_SIDES = {
  // Acts of agents are budgeted over a whole project, so over all customers of it.
  agentActs: "control",
  // Belongs to an operation, and is removed with it.
  agentChanges: "data",
  agentPolicies: "control",
  allDeliveries: "data",
  apiKeys: "control",
  apiKeyUses: "control",
  // An act may concern the project itself, and people decide on the acts of all customers in one list.
  approvals: "control",
  auditEvents: "control",
  builders: "control",
  claimedDomains: "control",
  configs: "shared",
  connectionDoubts: "control",
  // Written with each answer of a provider.
  connectionGates: "data",
  // Tokens are updated once in their lifetime, not with each call.
  connections: "shared",
  consents: "control",
  consumers: "shared",
  customAuthSessions: "control",
  deliveries: "data",
  deliveryBatches: "data",
  // Health and pauses are written when they change, not with each delivery.
  destinations: "shared",
  events: "data",
  eventsNowhere: "data",
  // A stream belongs to a connection. The journal of a provider app belongs to no customer: its row is in the database of the control tables.
  eventStreams: "data",
  eventTopicRoutes: "shared",
  eventTopics: "data",
  failingWrites: "data",
  firstDeliveries: "data",
  groups: "shared",
  heldCredits: "data",
  heldMessages: "data",
  // One key of a request may name two customers.
  idempotencyKeys: "control",
  installations: "shared",
  integrations: "shared",
  invites: "control",
  jwtKeys: "control",
  manifestSources: "control",
  memberships: "control",
  // What a database must not touch while a customer is moved.
  movingCustomers: "own",
  operations: "data",
  organizations: "control",
  outbox: "control",
  ownProviders: "shared",
  ownWrites: "data",
  processes: "own",
  projectRetention: "control",
  projects: "shared",
  providerApps: "shared",
  proxyUsage: "data",
  pushWatch: "control",
  readFingerprints: "data",
  readiness: "own",
  readObjects: "data",
  readRuns: "data",
  readSyncs: "data",
  // One push may have events of many customers.
  receivedPushes: "control",
  refusedPushes: "control",
  refusedRequests: "control",
  // Distinguish "deleted" from "not replicated yet".
  removedConnections: "shared",
  removedInstallations: "shared",
  reportedHealth: "data",
  revisions: "shared",
  schemaBaselines: "data",
  schemaLooks: "data",
  // Schedule of an integration, for all customers who installed it.
  schemaWatches: "control",
  seenRecords: "data",
  sessions: "control",
  signInAttempts: "control",
  // The databases of the customers, and which of them gets new ones.
  shards: "control",
  shardMoves: "control",
  signInFailures: "control",
  subscriptionEvents: "data",
  subscriptions: "data",
  subscriptionSyncs: "data",
  // Belong to the tokens that they renew.
  tokenRefreshes: "control",
  topicDestinationRoutes: "shared",
  topics: "shared",
  undeliveredChanges: "data",
  unroutedEvents: "data",
  uploads: "control",
  // Rate of a whole project.
  webhookPaces: "control",
  writeKeys: "data",
  writes: "data",
} as const satisfies Record<keyof DB, Side>;

/** Lists the tables of these sides by their names in PostgreSQL. */
export const listTables = (...sides: Side[]): string[] =>
  Object.entries(TABLE_SIDES)
    .filter(([, side]) => sides.includes(side))
    .map(([name]) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** Tables whose rows take rows of shared tables with them. */
const ABOVE_SHARED = ["organizations", "manifest_sources"];

const CHANGES_SHARED = new RegExp(
  `\\b(?:insert into|update|delete from)\\s+(?:only\\s+)?"?(?:${[...listTables("shared"), ...ABOVE_SHARED].join("|")})\\b`,
);

/** Returns whether a statement may change a shared table. */
export const changesShared = (statement: string): boolean => CHANGES_SHARED.test(statement);

type TablesOn<One extends Side> = {
  [Table in keyof DB]: (typeof TABLE_SIDES)[Table] extends One ? Table : never;
}[keyof DB];

type ReadOnly<Table> = { [Column in keyof Table]: ColumnType<SelectType<Table[Column]>, never, never> };

type SharedTables = { [Table in TablesOn<"shared">]: ReadOnly<DB[Table]> };
export type ControlTables = Pick<DB, TablesOn<"control" | "shared" | "own">>;
export type DataTables = Pick<DB, TablesOn<"data" | "own">> & SharedTables;

/** Control tables, or a transaction on them. */
export type ControlQueries = Kysely<ControlTables> | Transaction<ControlTables>;

/** Data tables, or a transaction on them; shared tables can be read. */
export type DataQueries = Kysely<DataTables> | Transaction<DataTables>;

/** Tables of either side: for statements that only read shared tables. */
export type SharedQueries = Kysely<SharedTables> | Transaction<SharedTables>;
