/** Sessions of people: opened with an API key or after signing in at the issuer, sent as bearer token or cookie. */
import type { IncomingHttpHeaders } from "node:http";
import { nowMs } from "../../ground/clock.ts";
import { openNetworks } from "../../ground/client-address.ts";
import { Problem } from "../../ground/errors.ts";
import { hashSecret, newSecret } from "../../ground/ids.ts";
import type { Log } from "../../ground/log.ts";
import type { Database } from "../store/database/database.ts";
import { listMemberships } from "../store/access/people.ts";
import {
  findSession,
  findSigningKey,
  insertSession,
  listSessions,
  type OpenSession,
  removeOtherSessions,
  removeSession,
  type SessionKind,
  type SessionRow,
} from "../store/access/sessions.ts";
import { OURS } from "./bootstrap.ts";
import { refuseAddress } from "./key-limits.ts";
import { nameOfPerson, type Person } from "./person-token.ts";
import { isFromOwnPage, readSentSession, SESSION_SECONDS } from "./session-cookie.ts";
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import type { ControlQueries } from "../store/database/sides.ts";
import { findFailures, noteFailure } from "../store/access/sign-in-failures.ts";

/** How a session is to be sent, and by what. */
interface Client {
  kind: SessionKind;
  userAgent?: string;
}

interface NewSession extends SessionRow {
  /** Only its digest is stored. */
  token: string;
}

export interface SignInSessions {
  /** The issuer where people sign in instead of with keys. */
  readonly issuer: string | undefined;
  /** Throws Problems: 401 for an unknown key, 403 for a key that cannot sign in, 429 after too many failures. */
  signIn(apiKey: string, address: string, client: Client): Promise<NewSession>;
  /** Opens the session of a person whom the issuer has identified. */
  openFor(person: Pick<Person, "builderId" | "email">, client: Client): Promise<NewSession>;
  /** Returns the session that a request sends, whether or not anything else identifies the caller. Throws 401 for a bearer. */
  current(headers: IncomingHttpHeaders): Promise<SessionRow | undefined>;
  /** Throws a 401 Problem. */
  identifyPerson(token: string): Promise<Person>;
  /** Returns the person of a browser's cookie; undefined without a cookie. Throws 401 for one that does not count. */
  personOfCookie(headers: IncomingHttpHeaders): Promise<Person | undefined>;
  list(builderId: string): Promise<SessionRow[]>;
  /** Returns the kind of the session that was ended; undefined if the person has no such session. */
  end(session: { id: string; builderId: string }): Promise<SessionKind | undefined>;
  endOthers(builderId: string, kept: string | undefined): Promise<void>;
}

interface Services {
  database: Database;
  log: Log;
  issuer?: string;
  publicUrl: () => string;
}

const PREFIX = "bbs_";
const LONGEST_USER_AGENT = 500;

/** Returns whether a bearer token is a session token. No JSON Web Token begins like that. */
export const isSessionToken = (bearer: string): boolean => bearer.startsWith(PREFIX);

export function openSignInSessions(deps: Services): SignInSessions {
  const { control } = deps.database;
  const { issuer } = deps;
  const failed = openFailedAttempts(control);
  const find = (token: string, kind: SessionKind) =>
    findSession(control, { hash: hashSecret(token), kind, issuer });
  return {
    issuer,
    async signIn(apiKey, address, client) {
      if (issuer) throw buildElsewhere(issuer);
      await failed.require(address);
      const key = await findSigningKey(control, hashSecret(apiKey));
      if (!key) {
        await failed.note(address);
        deps.log.warn({ address }, "sign-in with a wrong key");
        throw new Problem("unauthenticated", {
          detail: "This API key does not exist, or it was switched off.",
        });
      }
      const { apiKeyId, builderId, scopes, allowedAddresses } = key;
      if (allowedAddresses.length > 0 && !openNetworks(allowedAddresses)(address))
        throw refuseAddress(address);
      if (!builderId || !scopes.includes("full")) throw signsNobodyIn();
      deps.log.info({ builderId, apiKeyId }, "signed in");
      return open(deps, { builderId, apiKeyId }, client);
    },
    async openFor({ builderId, email }, client) {
      deps.log.info({ builderId }, "signed in at the issuer");
      return open(deps, { builderId, issuer, email }, client);
    },
    async current(headers) {
      if (headers["x-api-key"]) return undefined;
      const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
      if (bearer === undefined) {
        const token = readSentSession(headers, deps.publicUrl());
        return token && isFromOwnPage(headers, deps.publicUrl()) ? find(token, "cookie") : undefined;
      }
      const session = await find(bearer, "token");
      if (session) return session;
      throw buildEnded();
    },
    async identifyPerson(token) {
      if (issuer) throw buildElsewhere(issuer);
      const session = await find(token, "token");
      if (session) return readPerson(deps, session);
      throw buildEnded();
    },
    async personOfCookie(headers) {
      const token = readSentSession(headers, deps.publicUrl());
      if (token === undefined) return undefined;
      if (!isFromOwnPage(headers, deps.publicUrl())) throw refuseForeignPage(deps.publicUrl());
      const session = await find(token, "cookie");
      if (session) return readPerson(deps, session);
      throw buildEnded();
    },
    list: (builderId) => listSessions(control, builderId, issuer),
    end: (session) => removeSession(control, session),
    endOthers: (builderId, kept) => removeOtherSessions(control, builderId, kept),
  };
}

async function open(
  { database }: Services,
  of: { builderId: string; apiKeyId?: string; issuer?: string; email?: string },
  { kind, userAgent }: Client,
): Promise<NewSession> {
  const token = `${PREFIX}${newSecret()}`;
  // A working day: does not interrupt work, and limits the use of a leaked token.
  const expireTime = new Date(nowMs() + SESSION_SECONDS * 1_000);
  const agent = userAgent?.slice(0, LONGEST_USER_AGENT);
  const row = await insertSession(database.control, {
    hash: hashSecret(token),
    kind,
    userAgent: agent,
    expireTime,
    ...of,
  });
  return { ...row, token };
}

async function readPerson({ database }: Services, session: OpenSession): Promise<Person> {
  const memberships = await listMemberships(database.control, session.builderId);
  return {
    builderId: session.builderId,
    sessionId: session.id,
    ...nameOfPerson(session),
    roles: new Map(memberships.map(({ role, org }) => [org.id, role])),
    ...pickVouchedEmail(session),
  };
}

/**
 * With a key, only addresses that the operator gave count as verified; an earlier issuer may not have verified its
 * addresses.
 */
function pickVouchedEmail({ issuer, email, idpProvider, primaryEmail }: OpenSession): Pick<Person, "email"> {
  const vouched = issuer === null ? idpProvider === OURS && primaryEmail : email;
  return vouched ? { email: vouched.toLowerCase() } : {};
}

const buildEnded = (): Problem =>
  new Problem("unauthenticated", { detail: "This session has ended. Sign in again." });

const refuseForeignPage = (publicUrl: string): Problem =>
  new Problem("unauthenticated", {
    detail:
      `The session cookie counts only for pages of ${publicUrl}: a request needs \`Sec-Fetch-Site: same-origin\` or, ` +
      "without it, an `Origin` with this address. Other callers send an API key or a token.",
  });

const buildElsewhere = (issuer: string): Problem =>
  new Problem("forbidden", {
    detail: `Sign in at ${issuer} and send its token. API keys cannot be used to sign in to this Busbar.`,
  });

const signsNobodyIn = (): Problem =>
  new Problem("forbidden", {
    detail:
      "This API key cannot be used to sign in. Use the key of the first start, or one that a signed-in person created with `signIn`.",
  });

interface FailedAttempts {
  /** Throws `too-many-requests` while `address` is blocked. */
  require(address: string): Promise<void>;
  note(address: string): Promise<void>;
}

const MAX_FAILURES = 10;
const WINDOW_SECONDS = 60;
const MAX_ADDRESSES = 10_000;

/**
 * Allows ten failures a minute from one address. Generated keys have 256 random bits and cannot be guessed; the limit is
 * for keys that the operator chose, and keeps the log short.
 */
export function openFailedAttempts(queries: ControlQueries): FailedAttempts {
  /** Blocked addresses and until when; the database is not queried for them before. */
  const waiting = keepRecentlyUsed<Date>(MAX_ADDRESSES);
  return {
    async require(address) {
      const known = waiting.get(address);
      if (known && known.getTime() > nowMs()) throw refuseTooMany(known);
      const failures = await findFailures(queries, address);
      if (!failures || failures.count < MAX_FAILURES) return;
      waiting.set(address, failures.until);
      throw refuseTooMany(failures.until);
    },
    note: (address) => noteFailure(queries, address, WINDOW_SECONDS),
  };
}

const refuseTooMany = (until: Date): Problem =>
  new Problem("too-many-requests", {
    detail: "Too many wrong keys came from your address. Wait a minute, then send the right one.",
    retryAfter: until,
  });
