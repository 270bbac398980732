/** Holds the claimed writes by installation and says which may begin: few at once for each, one for one told to wait. */
import type { ClaimedWrite } from "../store/write-queue.ts";
import type { WriteAttemptResult } from "./attempt-write.ts";

/** Calls under way for one installation: one slow provider must leave room for the others. */
const MOST = 16;
/** An installation with this many writes waiting here needs no more from the queue. */
const ENOUGH_WAITING = 32;

interface Share {
  waiting: ClaimedWrite[];
  active: number;
  most: number;
}

/**
 * An installation whose provider said wait gets a share of one: when its gate opens again, a single write goes ahead
 * and finds out. Every write that gets through doubles the share, until it is whole again.
 */
export class InstallationSlots {
  readonly #shares = new Map<string, Share>();
  #size = 0;

  /** Claimed writes, waiting or under way. */
  get size(): number {
    return this.#size;
  }

  add(write: ClaimedWrite): void {
    const share = this.#shares.get(write.installationId) ?? { waiting: [], active: 0, most: MOST };
    share.waiting.push(write);
    this.#shares.set(write.installationId, share);
    this.#size += 1;
  }

  /** Those that may begin now, counted as begun. */
  take(): ClaimedWrite[] {
    const begun: ClaimedWrite[] = [];
    for (const share of this.#shares.values()) {
      const next = share.waiting.splice(0, Math.max(0, share.most - share.active));
      share.active += next.length;
      begun.push(...next);
    }
    return begun;
  }

  end(installationId: string): void {
    const share = this.#shares.get(installationId);
    if (!share) return;
    share.active -= 1;
    this.#size -= 1;
    // A reduced share is remembered: that is what it is for.
    if (share.active === 0 && share.waiting.length === 0 && share.most === MOST)
      this.#shares.delete(installationId);
  }

  learn(installationId: string, result: WriteAttemptResult): void {
    const share = this.#shares.get(installationId);
    if (!share) return;
    if (result === "told-to-wait") share.most = 1;
    else if (result === "sent") share.most = Math.min(MOST, share.most * 2);
  }

  /** Takes back what has not begun for an installation. */
  withdraw(installationId: string): ClaimedWrite[] {
    const waiting = this.#shares.get(installationId)?.waiting.splice(0) ?? [];
    this.#size -= waiting.length;
    return waiting;
  }

  withdrawAll(): ClaimedWrite[] {
    return [...this.#shares.keys()].flatMap((installationId) => this.withdraw(installationId));
  }

  /** Whether the queue should be asked for more writes of this installation. */
  needsMore(installationId: string): boolean {
    const share = this.#shares.get(installationId);
    return !share || !isSupplied(share);
  }

  /** Installations that need nothing from the queue for now. */
  supplied(): string[] {
    return [...this.#shares]
      .filter(([, share]) => isSupplied(share))
      .map(([installationId]) => installationId);
  }
}

const isSupplied = ({ waiting, active, most }: Share): boolean =>
  waiting.length >= Math.min(ENOUGH_WAITING, most) || (most < MOST && active >= most);
