/** How many writes of one installation may be under way here: few for a slow provider, one for one that said wait. */
import type { AttemptResult } from "./attempt.ts";

/** One slow provider must leave room for the others. */
const MOST = 16;

/**
 * An installation whose provider said wait gets a share of one: when its gate opens again, a single write goes ahead
 * and finds out. Every write that gets through doubles the share, until it is whole again.
 */
export class Shares {
  readonly #active = new Map<string, number>();
  readonly #reduced = new Map<string, number>();

  hasRoom(installationId: string): boolean {
    return (this.#active.get(installationId) ?? 0) < (this.#reduced.get(installationId) ?? MOST);
  }

  begin(installationId: string): void {
    this.#active.set(installationId, (this.#active.get(installationId) ?? 0) + 1);
  }

  end(installationId: string): void {
    const left = (this.#active.get(installationId) ?? 1) - 1;
    if (left > 0) this.#active.set(installationId, left);
    else this.#active.delete(installationId);
  }

  learn(installationId: string, result: AttemptResult): void {
    if (result === "told-to-wait") return void this.#reduced.set(installationId, 1);
    const share = this.#reduced.get(installationId);
    if (result !== "sent" || share === undefined) return;
    if (share * 2 >= MOST) this.#reduced.delete(installationId);
    else this.#reduced.set(installationId, share * 2);
  }

  /** Installations that have all they may have. */
  exhausted(): string[] {
    return [...this.#active.keys()].filter((installationId) => !this.hasRoom(installationId));
  }
}
