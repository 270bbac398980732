/** Remembers messages that this process has just stored, so that it need not read them again to send them. */

/** Shorter messages cost little to read, and would make the list of ids long. */
const LEAST_LENGTH = 16 * 1_024;
/** Maximum total length, several pages. Older messages are read again when they are sent. */
const MAX_LENGTH = 4 * 1_024 * 1_024;

export interface RecentMessages {
  /** Remembers messages, and forgets the oldest ones if they are too many. */
  keep(messages: { id: string; data: string }[]): void;
  /** Returns what is remembered now: data by id. */
  all(): ReadonlyMap<string, string>;
  forget(ids: Iterable<string>): void;
}

/** Call `keep` before the commit, because the message may be sent right after it. What is never stored is forgotten in time. */
export function rememberMessages(): RecentMessages {
  const kept = new Map<string, string>();
  let length = 0;
  const forget = (id: string): void => {
    length -= kept.get(id)?.length ?? 0;
    kept.delete(id);
  };
  return {
    keep(messages) {
      for (const { id, data } of messages) {
        if (data.length < LEAST_LENGTH || data.length > MAX_LENGTH) continue;
        forget(id);
        kept.set(id, data);
        length += data.length;
      }
      for (const oldest of kept.keys()) {
        if (length <= MAX_LENGTH) break;
        forget(oldest);
      }
    },
    all: () => new Map(kept),
    forget(ids) {
      for (const id of ids) forget(id);
    },
  };
}
