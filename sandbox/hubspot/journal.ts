// Webhooks journal of an app: its subscriptions, and files with the changes of accounts, which are kept for some days.

import { randomUUID } from "node:crypto";
import type { SandboxClock } from "../clock.ts";
import { toIsoText } from "../records/iso-text.ts";
import type { AccountChange } from "./account-change.ts";
import { PORTAL_ID } from "./account.ts";
import { toJournalEvent, type JournalEvent, type JournalSubscription } from "./journal-events.ts";

export type JournalSettings = {
  /** Whether apps get tokens with the journal's scopes. */
  granted: boolean;
  /** How long changes are collected before they become a file. */
  batchDelayMs: number;
  /** Lifetime of the files' addresses. */
  addressMs: number;
  /** Whether an existing subscription is refused with 409 instead of being replaced. */
  conflict: boolean;
};

export type JournalFile = { offset: string; at: number; text: string };

const DEFAULTS: JournalSettings = { granted: false, batchDelayMs: 20, addressMs: 60_000, conflict: false };
const KEPT_MS = 3 * 86_400_000;

export class Journal {
  settings: JournalSettings = { ...DEFAULTS };
  readonly subscriptions = new Map<number, JournalSubscription>();
  /** Offsets of the requests for the next file. */
  readonly reads: string[] = [];
  readonly #clock: SandboxClock;
  readonly #addresses = new Map<string, { offset: string; endsAt: number }>();
  #files: JournalFile[] = [];
  #waiting: AccountChange[] = [];
  #nextId = 1;

  constructor(clock: SandboxClock) {
    this.#clock = clock;
  }

  reset(): void {
    this.settings = { ...DEFAULTS };
    this.subscriptions.clear();
    this.reads.length = 0;
    this.#addresses.clear();
    this.#files = [];
    this.#waiting = [];
  }

  /** Adds changes. Those of one moment become one file, those of one record in it one event. */
  changed(change: AccountChange): void {
    if (this.subscriptions.size === 0) return;
    if (this.#waiting.length === 0) setTimeout(() => this.#flush(), this.settings.batchDelayMs).unref();
    this.#waiting.push(change);
  }

  #flush(): void {
    const occurredAt = toIsoText(this.#clock.now());
    const events: JournalEvent[] = [];
    for (const change of this.#waiting.splice(0)) {
      for (const subscription of this.subscriptions.values()) {
        if (subscription.portalId !== PORTAL_ID) continue;
        const event = toJournalEvent(change, subscription, occurredAt);
        const last = events.at(-1);
        if (event === undefined) continue;
        if (last !== undefined && isContinuation(last, event))
          Object.assign(last.propertyChanges ?? {}, event.propertyChanges);
        else events.push(event);
      }
    }
    if (events.length > 0) this.emit(events);
  }

  /** Writes a file with any events. */
  emit(events: Record<string, unknown>[]): void {
    const offset = randomUUID();
    const at = this.#clock.now();
    const text = JSON.stringify({ offset, journalEvents: events, publishedAt: toIsoText(at) });
    this.#files.push({ offset, at, text });
  }

  /** Drops all files, as after three days: earlier offsets are refused. */
  expire(): void {
    this.#files = [];
  }

  get kept(): number {
    this.#dropOld();
    return this.#files.length;
  }

  #dropOld(): void {
    const limit = this.#clock.now() - KEPT_MS;
    while (this.#files[0] !== undefined && this.#files[0].at < limit) this.#files.shift();
  }

  earliest(): JournalFile | undefined {
    this.#dropOld();
    return this.#files[0];
  }

  latest(): JournalFile | undefined {
    this.#dropOld();
    return this.#files.at(-1);
  }

  /** Returns the file after an offset, null if that is the newest; undefined for an offset that is no longer kept. */
  next(offset: string): JournalFile | null | undefined {
    this.#dropOld();
    this.reads.push(offset);
    const index = this.#files.findIndex((file) => file.offset === offset);
    return index === -1 ? undefined : (this.#files[index + 1] ?? null);
  }

  /** Opens an address of the file that expires, and returns its key. */
  openAddress({ offset }: JournalFile): { key: string; expiresAt: string } {
    const key = randomUUID();
    const endsAt = Date.now() + this.settings.addressMs;
    this.#addresses.set(key, { offset, endsAt });
    return { key, expiresAt: toIsoText(endsAt) };
  }

  /** Returns undefined for an address that is unknown or expired. */
  textAt(key: string): string | undefined {
    const address = this.#addresses.get(key);
    if (address === undefined || address.endsAt <= Date.now()) return undefined;
    return this.#files.find(({ offset }) => offset === address.offset)?.text;
  }

  /** Adds a subscription. Returns undefined if there is one already and the settings forbid replacing it. */
  subscribe(
    wanted: Omit<JournalSubscription, "id" | "createdAt" | "updatedAt">,
  ): JournalSubscription | undefined {
    const known = [...this.subscriptions.values()].find(
      ({ subscriptionType, portalId, objectTypeId }) =>
        subscriptionType === wanted.subscriptionType &&
        portalId === wanted.portalId &&
        objectTypeId === wanted.objectTypeId,
    );
    if (known !== undefined && this.settings.conflict) return undefined;
    const at = toIsoText(this.#clock.now());
    const id = known?.id ?? this.#nextId++;
    const subscription = { ...wanted, id, createdAt: known?.createdAt ?? at, updatedAt: at };
    this.subscriptions.set(id, subscription);
    return subscription;
  }
}

/** Returns whether an event continues the last one: properties that change with the creation, or in one request, are one event. */
function isContinuation(last: JournalEvent, event: JournalEvent): boolean {
  const isSame =
    last.objectId !== undefined && last.objectId === event.objectId && last.portalId === event.portalId;
  const isOpen = last.action === "CREATE" || last.action === "UPDATE";
  return isSame && isOpen && last.objectTypeId === event.objectTypeId && event.action === "UPDATE";
}
