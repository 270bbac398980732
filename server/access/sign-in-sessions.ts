/** Signs people in with an API key of theirs, where no OpenID Connect issuer does it. */
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
  /** A bearer token; it is known nowhere else. */
  token: string;
  builderId: string;
  expireTime: Date;
}

export interface SignInSessions {
  /** Throws Problems: 401 for a key that opens nothing, 403 for one that signs nobody in, 429 after too many. */
  signIn(apiKey: string, address: string): Promise<Session>;
  /** Throws a 401 Problem. */
  personOf(token: string): Promise<Person>;
  signOut(sessionId: string): Promise<void>;
}

interface Services {
  database: Database;
  log: Log;
  /** Where people sign in instead. */
  issuer?: string;
}

/** A working day: long enough not to interrupt anybody, short enough that a token left behind is soon worth nothing. */
const LIFETIME_MS = 12 * 3_600_000;
const PREFIX = "bbs_";

/** Whether a bearer token is one of ours. No JSON Web Token begins like that. */
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
        deps.log.warn({ address }, "a sign-in with a wrong key");
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
        orgIds: memberships.map(({ org }) => org.id),
        ...vouchedEmail(session),
      };
    },
    signOut: (sessionId) => removeSession(queries, sessionId),
  };
}

/** The operator's word is as good as an issuer's; what an issuer said once, it may not have verified. */
const vouchedEmail = (of: { idpProvider: string; primaryEmail: string | null }): Pick<Person, "email"> =>
  of.idpProvider === OURS && of.primaryEmail !== null ? { email: of.primaryEmail.toLowerCase() } : {};

const digest = (token: string): Buffer => createHash("sha256").update(token).digest();

const elsewhere = (issuer: string): Problem =>
  new Problem("forbidden", {
    detail: `People sign in to this Busbar at ${issuer} and send the token they get there. API keys sign nobody in.`,
  });

const signsNobodyIn = (): Problem =>
  new Problem("forbidden", {
    detail:
      "This API key opens its project but signs nobody in. Use the key of the first start, or one that a signed-in person made with `signIn`.",
  });
