/** Decides whether a provider's 401 means that credentials are bad, where there is nothing to refresh. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import { keepRecentlyUsed, type RecentlyUsed } from "../../ground/recently-used.ts";
import { recordTokenFailure } from "../credentials/refresh/token-events.ts";
import type { Egress } from "../egress/egress.ts";
import { nowMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import type { BackgroundWork } from "../jobs/background-work.ts";
import type { Changes } from "../store/database/changes.ts";
import {
  healConnection,
  markBadCredentials,
  markConnectionWorking,
} from "../store/connections/connection-states.ts";
import { lockConnection, findConnection, type ConnectionRow } from "../store/connections/connections.ts";
import { type Database, transactControl } from "../store/database/database.ts";
import { removeSuspect } from "../store/connections/suspect-connections.ts";
import type { Health } from "./health-check.ts";
import type { LiveConnection } from "./live-connection.ts";
import type { SuspectCredentials } from "./live-connections.ts";
import { getCredentialGeneration, MAX_SUSPECTS, openSharedSuspects } from "./shared-suspects.ts";
import { tryLive } from "./try-credentials.ts";

interface Services {
  database: Database;
  changes: Changes;
  catalog: Catalog;
  egress: Egress;
  log: Log;
  countRefresh?: (outcome: "failed") => void;
}

/** Refusals in a row, with no success between them, of one generation of credentials. */
interface Strikes {
  generation: string;
  count: number;
  firstMs: number;
}

const CHECK_INTERVAL_MS = 60_000;
/** How long a passed health check is trusted. */
const TRUST_MS = 10 * 60_000;
const MAX_STRIKES = 3;
const STRIKES_OVER_MS = 10 * 60_000;
const TWICE_REFUSED = "its health check and another call were refused";
const LONGEST_STRIKES_OVER_MS = 24 * 60 * 60_000;

/**
 * One 401 does not prove that credentials are bad: the endpoint may want another scope, or answer 401 where others
 * answer 403. A 401 therefore only starts a check (docs/decisions/0013):
 *
 *   trusted → 401 → checked    the provider's health check, where the catalog has one, is called with the credentials
 *   checked → 2xx → trusted    only that endpoint refuses; the health check is not called again for ten minutes
 *   checked → 401 → bad        two addresses have refused: status `bad_credentials` and the event `connection.error`
 *   checked → other → strike   no information, as if there were no health check
 *   strike  → 2xx → trusted    after any successful call
 *   strike  → 401 → tried      at the third in a row, ten minutes or more after the first: longer than a short outage,
 *                              and none of the application's calls succeeds
 *   tried   → 2xx → trusted    the cheapest read of an object that the connector describes is accepted: only that endpoint refuses
 *   tried   → other → bad      also where nothing is described. It is what later trials ask, so they do not say the opposite at once
 *   bad     → 2xx → working    the key was enabled again at the provider, or the decision was wrong: a call shows it, or a trial.
 *                              The next decision about these credentials takes twice as long, up to a day
 *
 * Each process counts refusals for itself. That a connection is suspect is shared through the database, so that a
 * successful call in any process clears it in all. No call waits for any of this.
 */
export function openSuspectCredentials(deps: Services, background: BackgroundWork): SuspectCredentials {
  const { control } = deps.database;
  const strikes = keepRecentlyUsed<Strikes>(MAX_SUSPECTS);
  /** Successes are reported once per opened connection. */
  const reported = new WeakSet<LiveConnection>();
  const settle = ({ id, projectId }: LiveConnection, work: () => Promise<unknown>) =>
    background.run({ connectionId: id, projectId }, "a connection's status could not be updated", work);
  const patience = openPatience();
  const tryOnce = openTrials(deps);
  const shared = openSharedSuspects(deps, background, (id) => strikes.delete(id));

  const acquit = async ({ id }: LiveConnection): Promise<void> => {
    strikes.delete(id);
    if (shared.has(id)) await removeSuspect(control, id);
  };

  const judgeNew = async (live: LiveConnection, { isTried }: { isTried: boolean }): Promise<void> => {
    const health = isTried ? "unknown" : await tryOnce(live);
    if (health === "fine") return markConnectionWorking(control, live.projectId, live.id);
    if (health !== undefined) await markBad(deps, live, "they have never been accepted", "created");
  };

  const onRefused = async (live: LiveConnection): Promise<void> => {
    const { count, firstMs } = addStrike(strikes, live);
    const hasCheck = live.provider.authHealthCheck !== undefined;
    const health = hasCheck ? await tryOnce(live) : undefined;
    if (health === "refused") return markBad(deps, live, TWICE_REFUSED);
    if (health === "fine") return acquit(live);
    // Patience is for credentials that have worked.
    if (live.status === "created") return judgeNew(live, { isTried: hasCheck });
    await shared.add(live);
    const overMs = patience.findMs(live);
    if (count < MAX_STRIKES || nowMs() - firstMs < overMs) return;
    if (!(await shared.isOld(live, overMs))) return;
    if (!hasCheck) {
      const tried = await tryOnce(live);
      if (tried === "fine") return acquit(live);
      // It is being tried, or was accepted a moment ago.
      if (tried === undefined) return;
    }
    await markBad(deps, live, `${count} calls in a row were answered 401`);
    shared.reset(live);
  };

  return {
    get any() {
      return strikes.size > 0 || shared.any;
    },
    async refusedByCheck(live) {
      await markBad(deps, live, "its health check was refused");
      shared.reset(live);
    },
    noticed(live, status) {
      const { id } = live;
      if (status === 401) {
        if (live.status !== "bad_credentials") settle(live, () => onRefused(live));
      } else if (status === 403 && live.authorization.signer) {
        // Where requests are signed, a wrong key and a missing permission both cause a 403: only the health check distinguishes them.
        if (live.status !== "bad_credentials" && live.provider.authHealthCheck)
          settle(live, async () => {
            if ((await tryOnce(live)) === "refused") await markBad(deps, live, TWICE_REFUSED);
          });
      } else if (status < 400) {
        if (strikes.size > 0) strikes.delete(id);
        const clear = shared.clear(id);
        if (clear) settle(live, clear);
        if (live.status === "working" || reported.has(live)) return;
        reported.add(live);
        if (live.status === "bad_credentials") patience.double(live);
        settle(live, () => onSucceeded(deps, live));
      }
    },
  };
}

/** Returns a function that tries credentials, unless they were tried lately. */
function openTrials(
  deps: Pick<Services, "catalog" | "egress">,
): (live: LiveConnection) => Promise<Health | undefined> {
  /** For each credential generation, the time until which it is not tried again, in milliseconds since the epoch. */
  const triedUntil = keepRecentlyUsed<number>(MAX_SUSPECTS);
  return async (live) => {
    const generation = getCredentialGeneration(live);
    if ((triedUntil.get(generation) ?? 0) > nowMs()) return undefined;
    triedUntil.set(generation, nowMs() + CHECK_INTERVAL_MS);
    const { health } = await tryLive(deps, live);
    if (health === "fine") triedUntil.set(generation, nowMs() + TRUST_MS);
    return health;
  };
}

/** How long refusals in a row must last: doubled for credentials that were marked as bad and then accepted. */
function openPatience(): { findMs(live: LiveConnection): number; double(live: LiveConnection): void } {
  const known = keepRecentlyUsed<number>(MAX_SUSPECTS);
  const findMs = (live: LiveConnection): number =>
    known.get(getCredentialGeneration(live)) ?? STRIKES_OVER_MS;
  return {
    findMs,
    double: (live) =>
      void known.set(getCredentialGeneration(live), Math.min(2 * findMs(live), LONGEST_STRIKES_OVER_MS)),
  };
}

function addStrike(strikes: RecentlyUsed<Strikes>, live: LiveConnection): Strikes {
  const generation = getCredentialGeneration(live);
  const known = strikes.get(live.id);
  const { count, firstMs } = known?.generation === generation ? known : { count: 0, firstMs: nowMs() };
  const all = { generation, count: count + 1, firstMs };
  strikes.set(live.id, all);
  return all;
}

/** A connection that is bad because its token could not be refreshed is not healed by the token's last valid minutes. */
async function onSucceeded({ database }: Services, live: LiveConnection): Promise<void> {
  const { projectId, id } = live;
  if (live.status === "created") await markConnectionWorking(database.control, projectId, id);
  else if (!live.refreshable) await transactControl(database, (queries) => healConnection(queries, live));
}

function markBad(
  deps: Services,
  live: LiveConnection,
  why: string,
  onlyWhile?: ConnectionRow["status"],
): Promise<void> {
  return transactControl(deps.database, async (queries) => {
    const { projectId, id, provider } = live;
    await lockConnection(queries, projectId, id);
    const row = await findConnection(queries, projectId, id);
    // The credentials were replaced meanwhile, or another process has marked the connection already.
    if (!row || row.credentialsSealed !== live.sealed || row.status === "bad_credentials") return;
    if (onlyWhile && row.status !== onlyWhile) return;
    await removeSuspect(queries, id);
    const hasEnded = live.expiresAtMs !== undefined && live.expiresAtMs <= nowMs();
    await markBadCredentials(queries, row, { mayWorkAgain: !live.refreshable && !hasEnded });
    const reason = `${provider.displayName ?? provider.name} does not accept the credentials any more: ${why}.`;
    await recordTokenFailure(deps, queries, row, reason);
    const line = { connectionId: id, projectId, provider: provider.name };
    deps.log.warn(line, "a connection's credentials are refused");
  });
}
