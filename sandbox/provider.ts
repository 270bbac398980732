// The interface of a simulated provider for the listener and the controls.

import type { SandboxAnswer, Data, SandboxExchange } from "./exchange.ts";
import type { Grants } from "./oauth/grants.ts";

export type ProviderName = "hubspot" | "salesforce";

export type Provider = {
  name: ProviderName;
  grants: Grants;
  answer(exchange: SandboxExchange): SandboxAnswer;
  /** Returns the records of one object as plain values. */
  records(object: string): Data[];
  objects(): string[];
  setLimits(limits: Data | "off" | "real"): void;
  limits(): Data;
  reset(): void;
  account: AccountControls;
};

type Plain = string | number | boolean | null;

/** `{n}` in a text value becomes the record's position from 0. Times in milliseconds. */
export type GenerateSpec = {
  count: number;
  changedFrom: number;
  changedTo: number;
  values: Record<string, Plain>;
  /** Generated records that the new ones are linked with, one each, in turn. */
  linked?: LinkedRun[];
};

/** `count` records from `firstId`; `field` is the reference of a Salesforce record. */
export type LinkedRun = { object: string; firstId: string; count: number; field?: string };

/** Without an id a record is created. `stamp: false` leaves the change time alone. */
export type RecordInput = {
  id?: string;
  values: Record<string, Plain>;
  changedAt?: number;
  stamp: boolean;
};

/** What the controls do to an account behind its API. Times are milliseconds; unknown names raise a RangeError. */
export type AccountControls = {
  /** Adds records that are computed when they are read. */
  generate(object: string, spec: GenerateSpec): { count: number; firstId: string; lastId: string };
  /** Creates or changes a record without the API's checks, at any change time; returns its id. */
  put(object: string, input: RecordInput): string;
  archive(object: string, id: string): void;
  restore(object: string, id: string): void;
  /** Removes a record for good. */
  purge(object: string, id: string): void;
  merge(object: string, winner: string, losers: string[]): void;
  /** Removes what has been archived for longer than the provider keeps it. */
  purgeExpired(): void;
  /** All records by id, deleted ones only on request. */
  dump(object: string, deleted: boolean): Iterable<Data>;
  /** Ends all cursors that were given out. */
  expireCursors(): void;
  /** Hides a field from the API's user, or shows it again. */
  hideField(object: string, field: string, hidden: boolean): void;
  settings(): Data;
  /** Members that are left out keep their value; null restores the default. */
  set(settings: Data): void;
};

/** An OAuth client that is accepted. Without any, every client id and secret is accepted. */
export type KnownClient = { id: string; secret: string };
