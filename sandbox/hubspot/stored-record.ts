// A record as the account stores it, and the settings of the account that its behaviour depends on.

import type { SandboxClock } from "../clock.ts";
import type { AccountChange } from "./account-change.ts";

/** What the controls set for the whole account. */
export type AccountSettings = {
  clock: SandboxClock;
  /** A search finds records as they were this long ago. */
  searchLagMs: number;
  /** After this time a cursor of a list is refused. */
  cursorLifetimeMs: number;
  /** Cursors issued before this time are refused. */
  cursorsFrom: number;
  /** Inputs of one batch read of associations. */
  associationInputs: number;
  /** Targets of one source in an answer, before its own paging. */
  associationPage: number;
  /** A longer request line is refused with 414. */
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
  /** The id as a number, which orders the records. */
  key: number;
  id: string;
  properties: Record<string, string>;
  createdAt: number;
  updatedAt: number;
  archived: boolean;
  archivedAt?: number;
  /** When the values of `hs_merged_object_ids` were written, the newest first. */
  merges?: { value: string; at: number }[];
};
