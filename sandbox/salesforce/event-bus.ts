// Event bus of a simulated organisation: channels with their members, and the stored change events.

import { randomBytes } from "node:crypto";
import {
  listChangedColumns,
  buildChangeSchema,
  encodeChange,
  toEventName,
  type Change,
  type ChangeSchema,
  type ChangeType,
} from "./change-schema.ts";
import { USER_ID, type Org, type OrgChange, type ObjectStore } from "./org.ts";
import { canSeeAll } from "./views-all.ts";

export type BusSettings = {
  /** Time after which a call without events gets an empty answer. */
  keepaliveMs: number;
  /** Time after which a call is ended that has received all requested events. */
  idleMs: number;
  /** Whether nothing is sent and nothing ends, like on a half-open connection. */
  silent: boolean;
  /** Whether every event is sent twice. */
  duplicate: boolean;
  /** Maximum number of selected objects over all channels. */
  entityLimit: number;
  /** Objects whose events the user may not see. */
  hidden: string[];
  /** Whether the user may change channels. */
  mayCustomize: boolean;
  /** Number of events that may be delivered; a reset restarts the count. */
  allocation: number;
  /** Whether replay ids are whole numbers of eight bytes, which some clients expect; otherwise they have ten bytes. */
  numericReplayIds: boolean;
};

export const DEFAULT_BUS: BusSettings = {
  keepaliveMs: 60_000,
  idleMs: 60_000,
  silent: false,
  duplicate: false,
  entityLimit: 5,
  hidden: [],
  mayCustomize: true,
  allocation: 10_000_000,
  numericReplayIds: false,
};

export type Channel = { id: string; developerName: string; metadata: Record<string, unknown> };
export type Member = {
  id: string;
  developerName: string;
  /** `ChangeEvents`, or the full name of a custom channel. */
  eventChannel: string;
  selectedEntity: string;
  metadata: Record<string, unknown>;
};

export type BusEvent = {
  sequence: number;
  at: number;
  entityName: string;
  schemaId: string;
  payload: Buffer;
  /** Channels that had selected the object. */
  channels: Set<string>;
};

export const STANDARD_CHANNEL = "ChangeEvents";
const KEPT_MS = 72 * 3_600_000;
/** First commit number, above 2^53. */
const FIRST_COMMIT = 1_789_377_602_315_534_337n;

export class EventBus {
  settings: BusSettings = { ...DEFAULT_BUS };
  readonly channels = new Map<string, Channel>();
  readonly members = new Map<string, Member>();
  readonly schemas = new Map<string, ChangeSchema>();
  /** Number of events that subscribers received, each copy counted. */
  delivered = 0;
  readonly #org: () => Org;
  readonly #listeners = new Set<() => void>();
  #events: BusEvent[] = [];
  #sequence = 0;
  /** Sequence up to which events are no longer kept. */
  #dropped = 0;
  #salt = randomBytes(2);
  #commits = 0n;
  #nextId = 1;
  #client: string | undefined;

  constructor(org: () => Org) {
    this.#org = org;
  }

  reset(): void {
    this.settings = { ...DEFAULT_BUS };
    this.channels.clear();
    this.members.clear();
    this.delivered = 0;
    this.forgetPositions();
  }

  /** Returns the number of deliveries that the organisation's allocation still permits. */
  get deliveriesLeft(): number {
    return Math.max(0, this.settings.allocation - this.delivered);
  }

  newId(prefix: string): string {
    return `${prefix}Sb${String(this.#nextId++).padStart(10, "0")}AAA`.slice(0, 18);
  }

  onEvent(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Answers a call whose changes get the client of its call options. */
  during<Answer>(callOptions: string, answer: () => Answer): Answer {
    const outer = this.#client;
    this.#client = /(?:^|[,;]\s*)client=([^,;]+)/.exec(callOptions)?.[1];
    try {
      return answer();
    } finally {
      this.#client = outer;
    }
  }

  /** Publishes the changes of a transaction. Equal updates of several records of one object become one event. */
  changed(changes: OrgChange[]): void {
    const transactionKey = generateKey();
    let sequenceNumber = 1;
    for (const group of mergeUpdates(changes)) {
      const [first] = group;
      if (first === undefined) continue;
      const ids = group.map(({ id }) => id);
      this.#publish(first.store, ids, first, { transactionKey, sequenceNumber: sequenceNumber++ });
    }
  }

  /** Publishes an event without a write: gaps, overflows, ids with wildcards. */
  emit(objectName: string, changeType: ChangeType, recordIds: string[]): void {
    const store = this.#org().find(objectName);
    if (store === undefined) throw new RangeError(`no Salesforce object ${objectName}`);
    const nothing = { changeType, before: {}, after: {} };
    this.#publish(store, recordIds, nothing, { transactionKey: generateKey(), sequenceNumber: 1 });
  }

  #publish(
    store: ObjectStore,
    recordIds: string[],
    change: Change,
    place: { transactionKey: string; sequenceNumber: number },
  ): void {
    const { name } = store.definition;
    const channels = this.#listChannels(toEventName(name));
    // There is no error: a user who may not see an object as a whole gets none of its events.
    if (channels.size === 0 || this.settings.hidden.includes(name) || !canSeeAll(this.#org(), name)) return;
    const schema = buildChangeSchema(store.definition);
    this.schemas.set(schema.id, schema);
    const at = this.#org().clock.now();
    this.#commits += 1n;
    const header = {
      entityName: name,
      recordIds,
      changeType: change.changeType,
      changeOrigin: `com/salesforce/api/rest/60.0${this.#client === undefined ? "" : `;client=${this.#client}`}`,
      ...place,
      commitTimestamp: at,
      commitNumber: FIRST_COMMIT + this.#commits * 1_009n,
      commitUser: USER_ID,
    };
    // Replay ids are not contiguous.
    this.#sequence += 3;
    const payload = encodeChange(schema, header, change);
    this.#events.push({
      sequence: this.#sequence,
      at,
      entityName: name,
      schemaId: schema.id,
      payload,
      channels,
    });
    this.#dropOld(at - KEPT_MS);
    for (const listener of this.#listeners) listener();
  }

  /** Returns the id of the schema that an object's events have now. */
  getSchemaId(event: string): string {
    const stores = [...this.#org().stores.values()];
    const store = stores.find(({ definition }) => toEventName(definition.name) === event);
    if (store === undefined) return "";
    const schema = buildChangeSchema(store.definition);
    this.schemas.set(schema.id, schema);
    return schema.id;
  }

  #listChannels(event: string): Set<string> {
    const selecting = [...this.members.values()].filter(({ selectedEntity }) => selectedEntity === event);
    return new Set(selecting.map(({ eventChannel }) => eventChannel));
  }

  #dropOld(before: number): void {
    while (this.#events[0] !== undefined && this.#events[0].at < before) {
      this.#dropped = this.#events.shift()?.sequence ?? this.#dropped;
    }
  }

  /** Drops all events, as after 72 hours: older positions are refused. */
  expire(): void {
    this.#sequence += 3;
    this.#dropped = this.#sequence;
    this.#events = [];
  }

  /** Invalidates all earlier positions, as if the organisation had been moved. */
  forgetPositions(): void {
    this.#salt = randomBytes(2);
    this.expire();
  }

  get kept(): number {
    return this.#events.length;
  }

  get latest(): number {
    return this.#sequence;
  }

  get oldest(): number {
    return this.#dropped;
  }

  /** Builds an opaque replay id. If it is a number, it stays below 2^53. */
  replayId(sequence: number): Buffer {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(sequence));
    if (!this.settings.numericReplayIds) return Buffer.concat([this.#salt, number]);
    this.#salt.copy(number, 2);
    return number;
  }

  /** Finds the sequence of a replay id; undefined if the id is foreign or too old. */
  findSequence(replayId: Buffer): number | undefined {
    const at = this.settings.numericReplayIds ? 2 : 0;
    const length = this.settings.numericReplayIds ? 8 : 10;
    if (replayId.length !== length || !replayId.subarray(at, at + 2).equals(this.#salt)) return undefined;
    const sequence = replayId.readUIntBE(length - 4, 4);
    return sequence < this.#dropped || sequence > this.#sequence ? undefined : sequence;
  }

  /** Finds a topic that a client can subscribe to. */
  findTopic(name: string): { event?: string; channel: string } | undefined {
    const topic = name.startsWith("/data/") ? name.slice("/data/".length) : "";
    if (topic === STANDARD_CHANNEL) return { channel: STANDARD_CHANNEL };
    const custom = [...this.channels.values()].some(({ developerName }) => `${developerName}__chn` === topic);
    if (custom) return { channel: topic };
    return this.#listChannels(topic).has(STANDARD_CHANNEL)
      ? { channel: STANDARD_CHANNEL, event: topic }
      : undefined;
  }

  /** Returns the events of a topic after a position. */
  eventsAfter(sequence: number, topic: { event?: string; channel: string }, max: number): BusEvent[] {
    const found: BusEvent[] = [];
    for (let index = this.#firstAfter(sequence); index < this.#events.length; index++) {
      const event = this.#events[index];
      if (event === undefined || found.length >= max) break;
      if (!event.channels.has(topic.channel)) continue;
      if (topic.event === undefined || topic.event === toEventName(event.entityName)) found.push(event);
    }
    return found;
  }

  #firstAfter(sequence: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.sequence ?? 0) <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function generateKey(): string {
  return randomBytes(16)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function mergeUpdates(changes: OrgChange[]): OrgChange[][] {
  const groups: OrgChange[][] = [];
  const byChange = new Map<string, OrgChange[]>();
  for (const change of changes) {
    const { store, changeType } = change;
    const columns =
      changeType === "UPDATE" ? listChangedColumns(buildChangeSchema(store.definition), change) : [];
    if (changeType === "UPDATE" && columns.length === 0) continue;
    const key = changeType === "UPDATE" ? JSON.stringify([store.definition.name, columns]) : undefined;
    const open = key === undefined ? undefined : byChange.get(key);
    if (open !== undefined) open.push(change);
    else {
      const group = [change];
      groups.push(group);
      if (key !== undefined) byChange.set(key, group);
    }
  }
  return groups;
}
