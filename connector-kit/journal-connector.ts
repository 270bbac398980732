/** How a provider keeps a journal of what changes in the accounts of an app, which Busbar reads with a token of the app itself. */
import type { ProviderFetch } from "./calls/provider-fetch.ts";
import type { StreamBatch, StreamStart } from "./stream-connector.ts";

export interface JournalConnector {
  /** Returns the scopes of the token; `appScopes` are those that the builder registered for customers. Pure. */
  tokenScopes(appScopes: readonly string[]): string[];
  /**
   * Makes the journal report an object of an account, in place of what was selected of it before. May be repeated. Throws
   * `ProviderError`; `invalid`, `not_found` and `forbidden` for what a person must mend.
   */
  select(wanted: JournalSelection, fetch: ProviderFetch): Promise<void>;
  /** Ends the reporting of objects. */
  deselect(dropped: readonly JournalObject[], fetch: ProviderFetch): Promise<void>;
  /**
   * Reads the entry behind a position; from `now`, only the newest position. Throws `ProviderError`: `LostPositionError` for a
   * position that the provider does not have (any more), `rate_limited` with a time.
   */
  readNext(from: StreamStart, calls: JournalCalls): Promise<JournalEntry>;
}

export interface JournalObject {
  /** The account as events name it. */
  accountRef: string;
  /** The object as `SubscribeConnector.objectKey` names it. */
  objectKey: string;
}

export interface JournalSelection extends JournalObject {
  create: boolean;
  delete: boolean;
  associationChange: boolean;
  /** Further events, as manifests list them. */
  other: string[];
  /** Fields whose changes are wanted; empty: no updates. */
  fields: string[];
}

export interface JournalCalls {
  /** Sends with the token of the app. */
  fetch: ProviderFetch;
  /** Gets the text at an address of the provider's choice, without credentials. Throws `ProviderError`. */
  download(url: string): Promise<string>;
}

export interface JournalEntry extends StreamBatch {
  /** Whether there was nothing (more) to read. */
  isLast: boolean;
}
