/** Sign-in sessions, of which only the digests of the tokens are stored. */
import { sql } from "kysely";
import { isUuid, newId } from "../../../ground/ids.ts";
import type { ControlQueries } from "../database/sides.ts";

/** A key and the person that it signs in, if any. */
export interface SigningKey {
  apiKeyId: string;
  scopes: string[];
  builderId: string | null;
  allowedAddresses: string[];
}

/** How a session is sent: in a browser's cookie, or as a bearer token. */
export type SessionKind = "cookie" | "token";

export interface SessionRow {
  id: string;
  builderId: string;
  kind: SessionKind;
  /** Undefined for a session that a key has opened. */
  issuer: string | null;
  userAgent: string | null;
  createTime: Date;
  lastUsedTime: Date;
  expireTime: Date;
}

/** A session with what tells whether the address of its person is verified. */
export type OpenSession = SessionRow & {
  /** Verified by the issuer at the sign-in. */
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
    /** One of both. */
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
const openSessions = (queries: ControlQueries, issuer: string | undefined) => {
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
  openSessions(queries, issuer)
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
  openSessions(queries, issuer)
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

/** Ends all of a person's sessions but one. */
export async function removeOtherSessions(
  queries: ControlQueries,
  builderId: string,
  kept: string | undefined,
): Promise<void> {
  const all = queries.deleteFrom("sessions").where("builderId", "=", builderId);
  await (kept === undefined ? all : all.where("id", "<>", kept)).execute();
}

/** Ends the sessions that a key has opened: activating the key again does not revive them. */
export async function removeSessionsOfKey(queries: ControlQueries, apiKeyId: string): Promise<void> {
  await queries.deleteFrom("sessions").where("apiKeyId", "=", apiKeyId).execute();
}

/** Returns the number of removed rows. */
export async function removeExpiredSessions(queries: ControlQueries, max: number): Promise<number> {
  const { numDeletedRows } = await queries
    .deleteFrom("sessions")
    .where("id", "in", (inner) =>
      inner
        .selectFrom("sessions")
        .select("id")
        .where("expireTime", "<", sql<Date>`now()`)
        .limit(max),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
