/** Claims queued writes, taking turns among installations, so that a long queue of one does not delay the others. */
import { elapsedMs } from "../../../ground/clock.ts";
import type { CapacityFor } from "../../jobs/claim-loop.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import {
  claimInstallationWrites,
  listOldestDue,
  listWaitingAfter,
  type ClaimedWrite,
  type DueInstallation,
} from "../../store/operations/write-queue.ts";
import { FIRST_ID } from "../../../ground/ids.ts";

/** If fewer writes than this are due, one query of them finds all installations that have some. */
const MAX_READ = 256;
/** Limits of a claim where very many installations have writes: installations per statement, and statements. */
const PAGE = 256;
const MAX_PAGES = 8;
/**
 * how long turns are taken before another check whether the queue is still long, and how long a list of installations serves
 * several claims. A write of an installation that is not in the list waits for the next one.
 */
const LONG_MS = 100;

/**
 * While the queue is short, the oldest write goes first. In a long queue the installations are visited in the order of
 * their ids, each claim from where the last one ended.
 */
export class WriteTurns {
  readonly #queries: DataQueries;
  readonly #workerId: () => number;
  #after = FIRST_ID;
  /** The installations of the current list that are still to be visited. */
  #listed: DueInstallation[] = [];
  /** When the queue was last found to be long. */
  #longMs = -Infinity;

  constructor(queries: DataQueries, workerId: () => number) {
    this.#queries = queries;
    this.#workerId = workerId;
  }

  async claim(limit: number, capacity: CapacityFor): Promise<ClaimedWrite[]> {
    if (elapsedMs() - this.#longMs < LONG_MS) return this.#continueTurns(limit, capacity);
    this.#listed = [];
    const { installations, areAll } = await listOldestDue(this.#queries, MAX_READ);
    if (areAll) return this.#claimAmong(limit, installations, capacity);
    this.#longMs = elapsedMs();
    return this.#claimInTurns(limit, capacity);
  }

  /** Claims writes of the installations that are listed already, and if they are too few, of others. */
  async #continueTurns(limit: number, capacity: CapacityFor): Promise<ClaimedWrite[]> {
    const listed = this.#listed;
    this.#listed = [];
    const found = await this.#claimAmong(limit, listed, capacity);
    if (found.length >= limit) {
      this.#endTurn(found, listed);
      return found;
    }
    this.#after = listed.at(-1)?.installationId ?? this.#after;
    const others = await this.#claimInTurns(limit - found.length, withoutClaimed(capacity, found));
    return [...found, ...others];
  }

  /** The next claim begins behind the last installation of a full one. */
  #endTurn(found: ClaimedWrite[], listed: DueInstallation[]): void {
    this.#after = findLast(found);
    this.#listed = listed.filter(({ installationId }) => installationId > this.#after);
  }

  async #claimInTurns(limit: number, capacity: CapacityFor): Promise<ClaimedWrite[]> {
    const claimed: ClaimedWrite[] = [];
    const start = this.#after;
    let isPastEnd = start === FIRST_ID;
    for (let page = 0; page < MAX_PAGES; page++) {
      const listed = await listWaitingAfter(this.#queries, this.#after, PAGE);
      const due = listed.filter(({ isDue }) => isDue);
      const found = await this.#claimAmong(limit - claimed.length, due, capacity);
      claimed.push(...found);
      if (claimed.length >= limit) {
        this.#endTurn(found, due);
        break;
      }
      const isEnd = listed.length < PAGE;
      if (isEnd && isPastEnd) {
        this.#after = FIRST_ID;
        break;
      }
      this.#after = isEnd ? FIRST_ID : (listed.at(-1)?.installationId ?? FIRST_ID);
      // All installations were visited once.
      if (isPastEnd && start !== FIRST_ID && this.#after >= start) break;
      isPastEnd ||= isEnd;
    }
    return claimed;
  }

  async #claimAmong(
    limit: number,
    installations: DueInstallation[],
    capacity: CapacityFor,
  ): Promise<ClaimedWrite[]> {
    const wanted = installations
      .map(({ installationId, projectId }) => ({
        installationId,
        capacity: capacity(installationId, projectId ?? ""),
      }))
      .filter((one) => one.capacity > 0);
    return wanted.length === 0 ? [] : claimInstallationWrites(this.#queries, this.#workerId(), limit, wanted);
  }
}

/** Returns the capacity that is left for each installation after these claims. */
function withoutClaimed(capacity: CapacityFor, claimed: ClaimedWrite[]): CapacityFor {
  const counts = new Map<string, number>();
  for (const { installationId } of claimed) counts.set(installationId, (counts.get(installationId) ?? 0) + 1);
  return (installationId, group) => capacity(installationId, group) - (counts.get(installationId) ?? 0);
}

/** Installations are visited in the order of their ids. */
const findLast = (found: ClaimedWrite[]): string =>
  found.reduce((last, { installationId }) => (installationId > last ? installationId : last), FIRST_ID);
