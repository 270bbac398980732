/** Sign-in sessions. Only the digests of their tokens are stored. */
import { sql } from "kysely";
import { isUuid, newId } from "../../../ground/ids.ts";
import type { ControlQueries } from "../database/sides.ts";
import { removeRows } from "../database/remove-rows.ts";

/** Key that opens sessions, and the person whom it signs in, if any. */
interface SigningKey {
  apiKeyId: string;
  scopes: string[];
  builderId: string | null;
  allowedAddresses: string[];
}

/** Transport of a session's token: a browser's cookie, or a bearer token. */
export type SessionKind = "cookie" | "token";

export interface SessionRow {
  id: string;
  builderId: string;
  kind: SessionKind;
  /** Undefined for a session that was opened with a key. */
  issuer: string | null;
  userAgent: string | null;
  createTime: Date;
  lastUsedTime: Date;
  expireTime: Date;
}

/** Session with what decides whether the person's address is verified. */
export type OpenSession = SessionRow & {
  /** Address that the issuer verified at the sign-in. */
  email: string | null;
  idpProvider: string;
  fullName: string | null;
  primaryEmail: string | null;
};

const COLUMNS = [
  "sessions.id",
  "sessions.builderId",
  "sessions.issuer",
  "sessions.userAgent",
  "sessions.createTime",
  "sessions.lastUsedTime",
  "sessions.expireTime",
] as const;

const KIND = sql<SessionKind>`sessions.kind`.as("kind");

const isNotExpired = sql<boolean>`(api_keys.expire_time is null or api_keys.expire_time > now())`;

/** Finds the active key with this digest. */
export const findSigningKey = (queries: ControlQueries, hash: Buffer): Promise<SigningKey | undefined> =>
  queries
    .selectFrom("apiKeys")
    .select(["id as apiKeyId", "scopes", "builderId", "allowedAddresses"])
    .where("hash", "=", hash)
    .where("active", "=", true)
    .where(isNotExpired)
    .executeTakeFirst();

export const insertSession = (
  queries: ControlQueries,
  session: {
    hash: Buffer;
    builderId: string;
    kind: SessionKind;
    /** Exactly one of `apiKeyId` and `issuer` is set. */
    apiKeyId?: string;
    issuer?: string;
    email?: string;
    userAgent?: string;
    expireTime: Date;
  },
): Promise<SessionRow> =>
  queries
    .insertInto("sessions")
    .values({ id: newId(), ...session })
    .returning([...COLUMNS, KIND])
    .executeTakeFirstOrThrow();

/**
 * Sessions that have not expired: of the issuer that is trusted now or, without one, of keys that are still active.
 */
const selectOpenSessions = (queries: ControlQueries, issuer: string | undefined) => {
  const all = queries
    .selectFrom("sessions")
    .leftJoin("apiKeys", "apiKeys.id", "sessions.apiKeyId")
    .where("sessions.expireTime", ">", sql<Date>`now()`);
  if (issuer !== undefined) return all.where("sessions.issuer", "=", issuer);
  return all
    .where("apiKeys.active", "=", true)
    .where(isNotExpired)
    .whereRef("apiKeys.builderId", "=", "sessions.builderId");
};

export const findSession = (
  queries: ControlQueries,
  { hash, kind, issuer }: { hash: Buffer; kind: SessionKind; issuer?: string },
): Promise<OpenSession | undefined> =>
  selectOpenSessions(queries, issuer)
    .innerJoin("builders", "builders.id", "sessions.builderId")
    .select([
      ...COLUMNS,
      KIND,
      "sessions.email",
      "builders.idpProvider",
      "builders.fullName",
      "builders.primaryEmail",
    ])
    .where("sessions.hash", "=", hash)
    .where("sessions.kind", "=", kind)
    .executeTakeFirst();

/** Lists a person's open sessions, newest first. */
export const listSessions = (
  queries: ControlQueries,
  builderId: string,
  issuer: string | undefined,
): Promise<SessionRow[]> =>
  selectOpenSessions(queries, issuer)
    .select([...COLUMNS, KIND])
    .where("sessions.builderId", "=", builderId)
    .orderBy("sessions.id", "desc")
    .execute();

/** Ends one of a person's sessions. Returns its kind, or undefined if there is none. */
export async function removeSession(
  queries: ControlQueries,
  { id, builderId }: { id: string; builderId: string },
): Promise<SessionKind | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await queries
    .deleteFrom("sessions")
    .where("id", "=", id)
    .where("builderId", "=", builderId)
    .returning(KIND)
    .executeTakeFirst();
  return row?.kind;
}

/** Ends all sessions of a person except one. */
export async function removeOtherSessions(
  queries: ControlQueries,
  builderId: string,
  kept: string | undefined,
): Promise<void> {
  const all = queries.deleteFrom("sessions").where("builderId", "=", builderId);
  await (kept === undefined ? all : all.where("id", "<>", kept)).execute();
}

/** Ends the sessions that were opened with a key. Activating the key again does not revive them. */
export async function removeSessionsOfKey(queries: ControlQueries, apiKeyId: string): Promise<void> {
  await queries.deleteFrom("sessions").where("apiKeyId", "=", apiKeyId).execute();
}

/** Removes up to `max` expired sessions, and returns their number. */
export const removeExpiredSessions = (queries: ControlQueries, max: number): Promise<number> =>
  removeRows(queries, "sessions", sql`expire_time < now()`, max);
