/** The data tables with rows of a customer: how these are found, and when they move to another shard. */
import type { ClientBase } from "pg";
import type { TABLE_SIDES } from "../database/sides.ts";

type DataTable = {
  [Table in keyof typeof TABLE_SIDES]: (typeof TABLE_SIDES)[Table] extends "data" ? Table : never;
}[keyof typeof TABLE_SIDES];

interface HowItMoves {
  /** What the row names of its customer; `none`: a view, or rows that are gone before the customer moves. */
  by: "installation" | "connection" | "group" | "event" | "write" | "none";
  /**
   * - `frozen`: while the customer cannot be worked for; nobody else changes these rows meanwhile
   * - `ahead`: all of it before, while the customer is served, and what has changed since with the frozen ones
   * - `open`: the same, but rows may still be added in the former shard
   * - `history`: while the customer is served again
   */
  moves: "frozen" | "ahead" | "open" | "history" | "never";
  /** The rows say how it is now: the new shard knows better than what is left in the former one after the copy. */
  isCurrent?: true;
  /** Where both shards have a row of this `key`, the one whose `column` is greater counts. */
  later?: { key: string; column: string };
  /** Column whose numbers each database gives; the rows are inserted in this order. */
  numbered?: string;
}

/** A test fails when a table is missing. */
export const CUSTOMER_TABLES: Record<DataTable, HowItMoves> = {
  agentChanges: { by: "group", moves: "history" },
  allDeliveries: { by: "none", moves: "never" },
  // A proxied call that goes on may close it for longer.
  connectionGates: {
    by: "connection",
    moves: "open",
    later: { key: "connection_id", column: "closed_until" },
  },
  deliveries: { by: "event", moves: "history" },
  // Deliveries on their first attempt, whose end is awaited.
  deliveryBatches: { by: "none", moves: "never" },
  events: { by: "event", moves: "history" },
  eventsNowhere: { by: "event", moves: "history" },
  eventStreams: { by: "connection", moves: "frozen" },
  eventTopics: { by: "event", moves: "history" },
  // Counted up to a second after the write has ended.
  failingWrites: { by: "installation", moves: "open", isCurrent: true },
  firstDeliveries: { by: "none", moves: "never" },
  heldCredits: { by: "installation", moves: "open" },
  heldMessages: { by: "installation", moves: "frozen", numbered: "seq" },
  // Those under way are frozen.
  operations: { by: "installation", moves: "history" },
  ownWrites: { by: "connection", moves: "open" },
  proxyUsage: { by: "installation", moves: "history", numbered: "id" },
  readFingerprints: { by: "installation", moves: "ahead" },
  readObjects: { by: "installation", moves: "ahead" },
  readRuns: { by: "installation", moves: "frozen", numbered: "seq" },
  readSyncs: { by: "installation", moves: "open" },
  reportedHealth: { by: "installation", moves: "open", isCurrent: true },
  schemaBaselines: { by: "installation", moves: "open" },
  schemaLooks: { by: "installation", moves: "open" },
  // For traces of records; nobody changes them.
  seenRecords: { by: "installation", moves: "history" },
  subscriptionEvents: { by: "installation", moves: "open" },
  subscriptions: { by: "installation", moves: "frozen" },
  subscriptionSyncs: { by: "installation", moves: "open" },
  undeliveredChanges: { by: "installation", moves: "frozen" },
  // Routed before the customer moves.
  unroutedEvents: { by: "none", moves: "never" },
  writeKeys: { by: "write", moves: "frozen", numbered: "seq" },
  writes: { by: "installation", moves: "frozen", numbered: "seq" },
};

export interface CustomerTable extends HowItMoves {
  /** Its name in PostgreSQL. */
  name: string;
}

export const listCustomerTables = (moves: HowItMoves["moves"]): CustomerTable[] =>
  Object.entries(CUSTOMER_TABLES)
    .filter(([, table]) => table.moves === moves)
    .map(([name, table]) => ({
      ...table,
      name: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    }));

/** Lists the tables with numbers that each database gives; what refers to such a row comes after it. */
export const listNumberedTables = (): { name: string; numbered: string }[] =>
  [...listCustomerTables("frozen"), ...listCustomerTables("history")].flatMap(({ name, numbered }) =>
    numbered === undefined ? [] : [{ name, numbered }],
  );

/** A customer with the ids by which its rows name it, removed installations and connections included. */
export interface MovedCustomer {
  groupId: string;
  projectId: string;
  groupRef: string;
  installationIds: string[];
  connectionIds: string[];
}

/** Finds the ids of a group's installations and connections in the control database. */
export async function findCustomer(
  control: ClientBase,
  { groupId, projectId, groupRef }: Pick<MovedCustomer, "groupId" | "projectId" | "groupRef">,
): Promise<MovedCustomer> {
  const list = async (table: string) => {
    const { rows } = await control.query<{ id: string }>(
      `select id from ${table} where group_id = $1 union select id from removed_${table} where group_id = $1`,
      [groupId],
    );
    return rows.map(({ id }) => id);
  };
  const [installationIds, connectionIds] = [await list("installations"), await list("connections")];
  return { groupId, projectId, groupRef, installationIds, connectionIds };
}

/** Returns the condition that a row of a table is the customer's. That of an event is `matchEvents`. */
export function matchCustomer(client: ClientBase, { by }: HowItMoves, customer: MovedCustomer): string {
  const ids = (list: string[]) => client.escapeLiteral(`{${list.join()}}`);
  const isInstallation = `installation_id = any(${ids(customer.installationIds)}::uuid[])`;
  if (by === "connection") return `connection_id = any(${ids(customer.connectionIds)}::uuid[])`;
  if (by === "group") return `group_id = ${client.escapeLiteral(customer.groupId)}::uuid`;
  if (by === "write") return `operation_id in (select operation_id from writes where ${isInstallation})`;
  return isInstallation;
}

/** Returns the condition that a row of `events` is the customer's: an event names it in its data only. */
export const matchEvents = (client: ClientBase, { projectId, groupRef }: MovedCustomer): string =>
  `events.project_id = ${client.escapeLiteral(projectId)}::uuid and events.data ->> 'groupRef' = ${client.escapeLiteral(groupRef)}`;
