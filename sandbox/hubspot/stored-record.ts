// Record of an account, and the account's settings that determine its behaviour.

import type { SandboxClock } from "../clock.ts";
import type { AccountChange } from "./account-change.ts";

/** Settings of the whole account, which the controls change. */
export type AccountSettings = {
  clock: SandboxClock;
  /** Delay after which a search finds a change. */
  searchLagMs: number;
  /** Lifetime of a list's cursors. */
  cursorLifetimeMs: number;
  /** Cursors issued before this time are refused. */
  cursorsFrom: number;
  /** Maximum number of inputs in a batch read of associations. */
  associationInputs: number;
  /** Maximum number of targets of one source in an answer, before its own paging. */
  associationPage: number;
  /** Maximum length of a request line; a longer one is refused with 414. */
  lineCharacters: number;
  /** Called with every change that HubSpot reports. */
  onChange(change: AccountChange): void;
};

export const DEFAULT_SETTINGS: Omit<AccountSettings, "clock" | "onChange"> = {
  searchLagMs: 0,
  cursorLifetimeMs: Number.MAX_SAFE_INTEGER,
  cursorsFrom: 0,
  associationInputs: 1000,
  associationPage: 500,
  lineCharacters: 16_200,
};

export type StoredRecord = {
  /** Id as a number, which orders the records. */
  key: number;
  id: string;
  properties: Record<string, string>;
  createdAt: number;
  updatedAt: number;
  archived: boolean;
  archivedAt?: number;
  /** Times and values of `hs_merged_object_ids`, newest first. */
  merges?: { value: string; at: number }[];
};
