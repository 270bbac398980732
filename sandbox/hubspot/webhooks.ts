// Pushes an account's changes to an app: subscriptions, batches, signatures, retries, and simulated faults.

import { createHash, createHmac } from "node:crypto";
import type { AccountChange } from "./account-change.ts";
import { PORTAL_ID } from "./account.ts";

export type WebhookSubscription = {
  id: number;
  /** `contact.creation` or `object.creation`; `*` stands for every change. */
  subscriptionType: string;
  /** For `object.*`: type id, singular or plural name. */
  objectType?: string;
  propertyName?: string;
  active: boolean;
};

export type WebhookSettings = {
  targetUrl: string;
  clientSecret: string;
  subscriptions: WebhookSubscription[];
  /** How long events are collected before they are sent. */
  batchDelayMs: number;
  /** Time between attempts; HubSpot spreads ten over a day. */
  retryMs: number;
  attempts: number;
  timeoutMs: number;
  /** Whether each batch is sent in reverse order. */
  reorder: boolean;
  /** Whether every batch is sent twice. */
  duplicate: boolean;
  /** Whether batches are signed with another secret. */
  badSignature: boolean;
  /** Offset of the signature's time. */
  timeSkewMs: number;
  /** Whether the type's member has its old name, `eventType`. */
  oldNames: boolean;
};

type PushedBatch = { at: string; events: number; attempt: number; status: number | null };

const DEFAULTS: WebhookSettings = {
  targetUrl: "",
  clientSecret: "",
  subscriptions: [{ id: 70_001, subscriptionType: "*", active: true }],
  batchDelayMs: 20,
  retryMs: 500,
  attempts: 11,
  timeoutMs: 5_000,
  reorder: false,
  duplicate: false,
  badSignature: false,
  timeSkewMs: 0,
  oldNames: false,
};

const MAX_EVENTS = 100;
const MAX_LINES = 1_000;
const APP_ID = 55_501;

export type WebhookEvent = Record<string, unknown>;

export class Webhooks {
  #settings: WebhookSettings = DEFAULTS;
  #waiting: WebhookEvent[] = [];
  #isScheduled = false;
  #nextEventId = 1_000_001;
  #underWay = 0;
  /** Number of the registration: batches of an earlier one are not repeated. */
  #run = 0;
  readonly log: PushedBatch[] = [];

  settings(): WebhookSettings {
    return this.#settings;
  }

  /** Changes settings; missing members keep their value. */
  set(wanted: Partial<WebhookSettings>): void {
    this.#settings = { ...this.#settings, ...wanted };
  }

  reset(): void {
    this.#settings = DEFAULTS;
    this.#waiting = [];
    this.#run += 1;
    this.log.length = 0;
  }

  /** Returns the number of events that are not sent, or not accepted yet. */
  get open(): number {
    return this.#waiting.length + this.#underWay;
  }

  /** Reports a change. `isByApp`: a call of the app made it, rather than a user. */
  changed(change: AccountChange, now: number, isByApp = false): void {
    if (this.#settings.targetUrl === "") return;
    for (const subscription of this.#settings.subscriptions) {
      const type = findSubscribedType(subscription, change);
      if (type !== undefined)
        this.push([
          {
            ...this.#base(subscription.id, now),
            ...buildMembers(change, type),
            ...(isByApp ? { changeSource: "INTEGRATION", sourceId: String(APP_ID) } : {}),
          },
        ]);
    }
  }

  /** Sends any events. */
  push(events: WebhookEvent[]): void {
    this.#waiting.push(...events);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#flush(), this.#settings.batchDelayMs).unref();
  }

  #base(subscriptionId: number, occurredAt: number): WebhookEvent {
    const eventId = this.#nextEventId++;
    return { appId: APP_ID, eventId, subscriptionId, portalId: PORTAL_ID, occurredAt, attemptNumber: 0 };
  }

  #flush(): void {
    this.#isScheduled = false;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_EVENTS);
      if (this.#settings.reorder) batch.reverse();
      void this.#deliver(batch, this.#run);
      if (this.#settings.duplicate) void this.#deliver(batch, this.#run);
    }
  }

  async #deliver(batch: WebhookEvent[], run: number): Promise<void> {
    this.#underWay += batch.length;
    for (let attempt = 0; attempt < this.#settings.attempts && run === this.#run; attempt++) {
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, this.#settings.retryMs).unref());
      const status = await this.#send(batch.map((event) => this.#written(event, attempt)));
      this.log.push({ at: new Date().toISOString(), events: batch.length, attempt, status });
      if (this.log.length > MAX_LINES) this.log.shift();
      if (status !== null && status >= 200 && status < 300) break;
    }
    this.#underWay -= batch.length;
  }

  #written(event: WebhookEvent, attemptNumber: number): WebhookEvent {
    const { subscriptionType, ...rest } = event;
    const name = this.#settings.oldNames ? "eventType" : "subscriptionType";
    return {
      ...rest,
      ...(subscriptionType === undefined ? {} : { [name]: subscriptionType }),
      attemptNumber,
    };
  }

  /** Sends a batch. Returns the status, or null without an answer. */
  async #send(events: WebhookEvent[]): Promise<number | null> {
    const { targetUrl, clientSecret, badSignature, timeSkewMs, timeoutMs } = this.#settings;
    const body = JSON.stringify(events);
    const headers = buildSignatures({
      secret: badSignature ? `not ${clientSecret}` : clientSecret,
      uri: targetUrl,
      body,
      time: Date.now() + timeSkewMs,
    });
    try {
      const answer = await fetch(targetUrl, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "manual",
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return null;
    }
  }
}

/** Builds the signatures in all of HubSpot's versions at once. */
function buildSignatures({
  secret,
  uri,
  body,
  time,
}: {
  secret: string;
  uri: string;
  body: string;
  time: number;
}) {
  const decoded = uri.replaceAll(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, (escape) =>
    decodeURIComponent(escape),
  );
  return {
    "x-hubspot-signature": createHash("sha256").update(`${secret}${body}`).digest("hex"),
    "x-hubspot-signature-version": "v1",
    "x-hubspot-request-timestamp": String(time),
    "x-hubspot-signature-v3": createHmac("sha256", secret)
      .update(`POST${decoded}${body}${time}`)
      .digest("base64"),
  };
}

/** Returns the type of an event for this subscription; undefined if it does not report the change. */
function findSubscribedType(
  subscription: WebhookSubscription,
  { kind, type, property }: AccountChange,
): string | undefined {
  if (!subscription.active) return undefined;
  const isLegacy = LEGACY.has(type.singular);
  const own = `${isLegacy || kind === "privacyDeletion" ? type.singular.toLowerCase() : "object"}.${kind}`;
  if (subscription.subscriptionType === "*") return own;
  const [prefix, action] = subscription.subscriptionType.split(".");
  const names = [type.id, type.name, type.singular.toLowerCase(), ...type.aliases];
  const object = prefix === "object" ? subscription.objectType : prefix;
  if (action !== kind || object === undefined || !names.includes(object.toLowerCase())) return undefined;
  if (kind === "propertyChange" && subscription.propertyName !== property?.name) return undefined;
  return subscription.subscriptionType;
}

const LEGACY = new Set(["CONTACT", "COMPANY", "DEAL", "TICKET", "PRODUCT", "LINE_ITEM"]);

function buildMembers(change: AccountChange, subscriptionType: string): WebhookEvent {
  const { kind, type, id, property, merged = [], to } = change;
  const common = {
    subscriptionType,
    changeSource: "CRM_UI",
    sourceId: "userId:12",
    ...(subscriptionType.startsWith("object.") ? { objectTypeId: type.id } : {}),
  };
  if (kind === "associationChange") {
    return {
      ...common,
      associationType: `${type.singular}_TO_${to?.type.singular ?? ""}`,
      fromObjectId: Number(id),
      toObjectId: Number(to?.id),
      associationRemoved: to?.removed ?? false,
      isPrimaryAssociation: false,
      ...(subscriptionType.startsWith("object.")
        ? { fromObjectTypeId: type.id, toObjectTypeId: to?.type.id }
        : {}),
    };
  }
  const record = { ...common, objectId: Number(id) };
  if (kind === "propertyChange")
    return { ...record, propertyName: property?.name, propertyValue: property?.value };
  if (kind === "creation") return { ...record, changeFlag: "CREATED" };
  if (kind === "deletion") return { ...record, changeFlag: "DELETED" };
  if (kind !== "merge") return record;
  const mergedObjectIds = merged.map(Number);
  return {
    ...record,
    primaryObjectId: Number(id),
    mergedObjectIds,
    newObjectId: Number(id),
    numberOfPropertiesMoved: 1,
  };
}
