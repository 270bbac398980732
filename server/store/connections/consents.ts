/** Consents: attempts of customers to connect an account on a provider's consent page, and their results. */
import { sql } from "kysely";
import type { ProviderMetadata } from "./connections.ts";
import type { ControlQueries } from "../database/sides.ts";
import type { ProjectBound } from "../database/id-range.ts";
import { removePlannedByRows, removeRows } from "../database/remove-rows.ts";

/**
 * `pending`: waits for the callback, for ever if the customer never returns. `finishing`: the callback exchanges the code. Then
 * `succeeded` or `failed`; a failed consent is `pending` again when the browser tries once more.
 */
type ConsentStatus = "pending" | "finishing" | "succeeded" | "failed";

interface ConsentRow {
  id: string;
  projectId: string;
  status: ConsentStatus;
  provider: string;
  /** Null for custom authentication without a provider app. */
  providerAppId: string | null;
  /** Connection that gets new credentials; after a success, the connection that was created. */
  connectionId: string | null;
  groupRef: string;
  groupName: string | null;
  consumerRef: string;
  consumerName: string | null;
  providerWorkspaceRef: string | null;
  providerMetadata: ProviderMetadata;
  /** Digest of the cookie of the browser that continued to the provider. */
  browserHash: Buffer | null;
  redirectUri: string | null;
  codeVerifierSealed: string | null;
  reason: string | null;
  /** Text on the customer's page. */
  message: string | null;
  /** Details for the builder. */
  detail: string | null;
  openTime: Date | null;
  leaveTime: Date | null;
  endTime: Date | null;
  expireTime: Date;
  createTime: Date;
}

/** Consent with the names that the pages show. */
export interface ShownConsent extends ConsentRow {
  appName: string;
}

type NewConsent = Pick<
  ConsentRow,
  | "id"
  | "projectId"
  | "provider"
  | "providerAppId"
  | "connectionId"
  | "groupRef"
  | "groupName"
  | "consumerRef"
  | "consumerName"
  | "providerWorkspaceRef"
  | "providerMetadata"
  | "expireTime"
>;

export async function insertConsent(
  queries: ControlQueries,
  consent: NewConsent & { beginHash: Buffer },
): Promise<void> {
  await queries
    .insertInto("consents")
    .values({ ...consent, providerMetadata: JSON.stringify(consent.providerMetadata) })
    .execute();
}

/** Inserts a failed consent, which no browser can continue. */
export async function insertFailedConsent(
  queries: ControlQueries,
  {
    id,
    beginHash,
    ...failed
  }: Omit<NewConsent, "connectionId" | "expireTime"> &
    Pick<ConsentRow, "reason" | "detail" | "leaveTime"> & { beginHash: Buffer },
): Promise<void> {
  await queries
    .insertInto("consents")
    .values({
      ...failed,
      id,
      beginHash,
      status: "failed",
      providerMetadata: JSON.stringify(failed.providerMetadata),
      endTime: sql`now()`,
      expireTime: sql`now()`,
    })
    .execute();
}

/** Finds the consent for an address that the API returned, ended ones included. */
export const findConsentByAddress = (
  queries: ControlQueries,
  beginHash: Buffer,
): Promise<ShownConsent | undefined> =>
  findOne(selectWithAppName(queries).where("consents.beginHash", "=", beginHash));

/** Finds a consent for the browser that continued to the provider. */
export const findConsentOfBrowser = (
  queries: ControlQueries,
  id: string,
  browserHash: Buffer,
): Promise<ShownConsent | undefined> =>
  findOne(
    selectWithAppName(queries).where("consents.id", "=", id).where("consents.browserHash", "=", browserHash),
  );

export async function noteOpened(queries: ControlQueries, id: string): Promise<void> {
  await queries
    .updateTable("consents")
    .set({ openTime: sql`now()` })
    .where("id", "=", id)
    .where("openTime", "is", null)
    .execute();
}

interface Departure {
  id: string;
  browserHash: Buffer;
  stateHash: Buffer;
  redirectUri: string;
  codeVerifierSealed: string | null;
  expireTime: Date;
}

/**
 * Notes that the browser leaves for the provider's page, with a new state; an earlier state becomes invalid. Returns false if
 * the consent has succeeded, or belongs to another browser.
 */
export async function noteDeparture(
  queries: ControlQueries,
  { id, ...departure }: Departure,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("consents")
    .set({
      ...departure,
      status: "pending",
      reason: null,
      message: null,
      detail: null,
      endTime: null,
      leaveTime: sql`now()`,
    })
    .where("id", "=", id)
    .where("status", "in", ["pending", "failed"])
    .where(({ eb, or }) => or([eb("browserHash", "is", null), eb("browserHash", "=", departure.browserHash)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Claims the consent with this state for its callback: a second call finds nothing. The consent may have expired. */
export async function takeConsent(
  queries: ControlQueries,
  stateHash: Buffer,
): Promise<ShownConsent | undefined> {
  const taken = await queries
    .updateTable("consents")
    .set({ status: "finishing", stateHash: null })
    .where("stateHash", "=", stateHash)
    .where("status", "=", "pending")
    .returning("id")
    .executeTakeFirst();
  return taken && findOne(selectWithAppName(queries).where("consents.id", "=", taken.id));
}

type End =
  | { status: "succeeded"; connectionId: string }
  | { status: "failed"; reason: string; message: string; detail: string };

/** Ends a consent and removes its secrets. Returns false if it has succeeded before. */
export async function endConsent(queries: ControlQueries, id: string, end: End): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("consents")
    .set({ ...end, endTime: sql`now()`, stateHash: null, codeVerifierSealed: null })
    .where("id", "=", id)
    .where("status", "<>", "succeeded")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Status in the API: a pending consent whose time is over is `expired`. */
export type ListedStatus = "pending" | "succeeded" | "failed" | "expired";

interface ConsentFilter {
  status?: ListedStatus;
  provider?: string;
  groupRef?: string;
}

/** Lists a project's consents, newest first. */
export async function listConsents(
  queries: ControlQueries,
  projectId: string,
  { status, provider, groupRef }: ConsentFilter,
  page: { before?: string; limit: number },
): Promise<ShownConsent[]> {
  let query = selectWithAppName(queries).where("consents.projectId", "=", projectId);
  if (provider !== undefined) query = query.where("consents.provider", "=", provider);
  if (groupRef !== undefined) query = query.where("consents.groupRef", "=", groupRef);
  if (status === "succeeded" || status === "failed") query = query.where("consents.status", "=", status);
  if (status === "pending" || status === "expired") {
    const sign = status === "pending" ? ">" : "<=";
    query = query
      .where("consents.status", "in", ["pending", "finishing"])
      .where("consents.expireTime", sign, sql<Date>`now()`);
  }
  if (page.before !== undefined) query = query.where("consents.id", "<", page.before);
  const rows = await query.orderBy("consents.id", "desc").limit(page.limit).execute();
  return rows.map(toShown);
}

/** Removes consents that began before these ids, earlier ones if no customer ever continued. Returns their number. */
export const removeOldConsents = (
  queries: ControlQueries,
  { id, unusedId }: { id: string; unusedId: string },
  max: number,
): Promise<number> =>
  removeRows(queries, "consents", sql`id < ${id} or (id < ${unusedId} and leave_time is null)`, max);

/** Removes up to `max` consents of one project that began before an id; returns their number. */
export const removeProjectConsents = (
  queries: ControlQueries,
  { projectId, id }: ProjectBound,
  max: number,
): Promise<number> =>
  removePlannedByRows(queries, "consents", sql`project_id = ${projectId} and id < ${id} order by id`, max);

const selectWithAppName = (queries: ControlQueries) =>
  queries
    .selectFrom("consents")
    .innerJoin("projects", "projects.id", "consents.projectId")
    .selectAll("consents")
    .select("projects.appName");

type ConsentQuery = ReturnType<typeof selectWithAppName>;

async function findOne(query: ConsentQuery): Promise<ShownConsent | undefined> {
  const row = await query.executeTakeFirst();
  return row && toShown(row);
}

const toShown = (row: Awaited<ReturnType<ConsentQuery["executeTakeFirstOrThrow"]>>): ShownConsent => ({
  ...row,
  status: row.status as ConsentStatus,
  providerMetadata: row.providerMetadata as ProviderMetadata,
});
