/** Signs people in with an API key, where there is no OpenID Connect issuer. */
import { createHash, randomBytes } from "node:crypto";
import { nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";
import { hashApiKey } from "../ground/ids.ts";
import type { Log } from "../ground/log.ts";
import type { Database } from "../store/database.ts";
import { listMemberships } from "../store/people.ts";
import { findSession, findSigningKey, insertSession, removeSession } from "../store/sessions.ts";
import { openFailedAttempts } from "./failed-attempts.ts";
import { OURS } from "./bootstrap.ts";
import type { Person } from "./person-token.ts";

export interface Session {
  /** A bearer token; only its digest is stored. */
  token: string;
  builderId: string;
  expireTime: Date;
}

export interface SignInSessions {
  /** Throws Problems: 401 for an unknown key, 403 for a key that cannot sign in, 429 after too many failures. */
  signIn(apiKey: string, address: string): Promise<Session>;
  /** Throws a 401 Problem. */
  personOf(token: string): Promise<Person>;
  signOut(sessionId: string): Promise<void>;
}

interface Services {
  database: Database;
  log: Log;
  /** The OpenID Connect issuer where people sign in instead. */
  issuer?: string;
}

/** A working day: does not interrupt work, and limits the use of a leaked token. */
const LIFETIME_MS = 12 * 3_600_000;
const PREFIX = "bbs_";

/** Whether a bearer token is a session token. No JSON Web Token begins like that. */
export const isSessionToken = (bearer: string): boolean => bearer.startsWith(PREFIX);

export function openSignInSessions(deps: Services): SignInSessions {
  const { queries } = deps.database;
  const failed = openFailedAttempts(queries);
  return {
    async signIn(apiKey, address) {
      if (deps.issuer) throw elsewhere(deps.issuer);
      await failed.require(address);
      const key = await findSigningKey(queries, hashApiKey(apiKey));
      if (!key) {
        await failed.note(address);
        deps.log.warn({ address }, "sign-in with a wrong key");
        throw new Problem("unauthenticated", {
          detail: "This API key does not exist, or it was switched off.",
        });
      }
      const { apiKeyId, builderId, scopes } = key;
      if (!builderId || !scopes.includes("full")) throw signsNobodyIn();
      const token = `${PREFIX}${randomBytes(32).toString("base64url")}`;
      const expireTime = new Date(nowMs() + LIFETIME_MS);
      await insertSession(queries, { hash: digest(token), builderId, apiKeyId, expireTime });
      deps.log.info({ builderId, apiKeyId }, "signed in");
      return { token, builderId, expireTime };
    },
    async personOf(token) {
      if (deps.issuer) throw elsewhere(deps.issuer);
      const session = await findSession(queries, digest(token));
      if (!session) {
        throw new Problem("unauthenticated", { detail: "This session has ended. Sign in again." });
      }
      const memberships = await listMemberships(queries, session.builderId);
      return {
        builderId: session.builderId,
        sessionId: session.id,
        roles: new Map(memberships.map(({ role, org }) => [org.id, role])),
        ...vouchedEmail(session),
      };
    },
    signOut: (sessionId) => removeSession(queries, sessionId),
  };
}

/** Only addresses that the operator gave count as verified; an earlier issuer may not have verified its addresses. */
const vouchedEmail = (of: { idpProvider: string; primaryEmail: string | null }): Pick<Person, "email"> =>
  of.idpProvider === OURS && of.primaryEmail !== null ? { email: of.primaryEmail.toLowerCase() } : {};

const digest = (token: string): Buffer => createHash("sha256").update(token).digest();

const elsewhere = (issuer: string): Problem =>
  new Problem("forbidden", {
    detail: `Sign in at ${issuer} and send its token. API keys cannot be used to sign in to this Busbar.`,
  });

const signsNobodyIn = (): Problem =>
  new Problem("forbidden", {
    detail:
      "This API key cannot be used to sign in. Use the key of the first start, or one that a signed-in person created with `signIn`.",
  });
