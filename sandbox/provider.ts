// Interface of a simulated provider for the listener and the controls.

import type { SandboxAnswer, Data, SandboxExchange } from "./exchange.ts";
import type { Grants } from "./oauth/grants.ts";

export type ProviderName = "hubspot" | "salesforce";

export type Provider = {
  name: ProviderName;
  grants: Grants;
  answer(exchange: SandboxExchange): SandboxAnswer;
  /** Returns the records of an object as plain values. */
  records(object: string): Data[];
  objects(): string[];
  setLimits(limits: Data | "off" | "real"): void;
  limits(): Data;
  reset(): void;
  account: AccountControls;
};

type Plain = string | number | boolean | null;

/** `{n}` in a text value stands for the record's position, from 0. Times are in milliseconds. */
export type GenerateSpec = {
  count: number;
  changedFrom: number;
  changedTo: number;
  values: Record<string, Plain>;
  /** Generated records with which the new ones are linked, one each, round-robin. */
  linked?: LinkedRun[];
};

/** `count` records from `firstId`; `field` is the reference in a Salesforce record. */
export type LinkedRun = { object: string; firstId: string; count: number; field?: string };

/** Without an id, a record is created. `stamp: false` keeps the change time. */
export type RecordInput = {
  id?: string;
  values: Record<string, Plain>;
  changedAt?: number;
  stamp: boolean;
};

/** Controls of an account that bypass its API. Times are in milliseconds; unknown names cause a RangeError. */
export type AccountControls = {
  /** Adds records that are computed when they are read. */
  generate(object: string, spec: GenerateSpec): { count: number; firstId: string; lastId: string };
  /** Creates or changes a record without the API's checks, at any change time; returns its id. */
  put(object: string, input: RecordInput): string;
  archive(object: string, id: string): void;
  restore(object: string, id: string): void;
  /** Removes a record permanently. */
  purge(object: string, id: string): void;
  merge(object: string, winner: string, losers: string[]): void;
  /** Removes what has been archived for longer than the provider keeps it. */
  purgeExpired(): void;
  /** Yields all records by id, deleted ones only on request. */
  dump(object: string, deleted: boolean): Iterable<Data>;
  /** Invalidates all cursors issued so far. */
  expireCursors(): void;
  /** Hides a field from the API's user, or shows it again. */
  hideField(object: string, field: string, hidden: boolean): void;
  settings(): Data;
  /** Changes settings. Missing members keep their value; null restores the default. */
  set(settings: Data): void;
};

/** Accepted OAuth client. Without any, every client id and secret is accepted. */
export type KnownClient = { id: string; secret: string };
