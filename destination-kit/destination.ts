/** The interface of destination types: their settings, and how they send a message. */
import type { LookupFunction } from "node:net";
import type { Static, TObject } from "typebox";

/** One event or data message on its way to one destination. */
export interface Message {
  /** The same at every attempt, and for every destination. */
  id: string;
  /** The type of the event, or `read`, `subscribe`, `schema.watch`. */
  topic: string;
  /** An event, or a data message: records that were read, which a receiver gets without the envelope of events. */
  kind: "event" | "data";
  /** When the event occurred. */
  time: Date;
  /** The event's data, or the whole data message, as JSON text. */
  data: string;
  projectId: string;
  destinationId: string;
  /** Header of W3C Trace Context for a receiver of the builder's own; absent outside any trace. */
  traceparent?: string;
}

/** The outcome of one attempt. Retries depend on `kind`, `retryAfterMs` and `overloaded`; the rest is for people. */
export interface Outcome {
  /** `failed` is retried; `gone` is not, because the receiver has announced its end. */
  kind: "delivered" | "failed" | "gone";
  /** HTTP status, where there was an answer. */
  status?: number;
  /** The beginning of the answer. */
  answer?: string;
  /** What went wrong, for people; never a secret. */
  error?: string;
  /** The wait that the receiver asked for. */
  retryAfterMs?: number;
  /** What only this attempt knows of its request; `buildRequest` of the type adds the rest. */
  sent?: SentPart;
  /** The receiver timed out or rate limited the message: the next attempt is at least a minute away. */
  overloaded?: boolean;
}

/** What an attempt keeps of its request: few bytes, because every delivery is stored with its attempts. */
export interface SentPart {
  url: string;
  /** Without those that every message has. Values that the settings contain are replaced by `…`. */
  headers: Record<string, string>;
}

/** A request as it was sent. */
export interface SentRequest extends SentPart {
  method: string;
  body: string;
}

/** An HTTP request through the egress guard. */
export interface OutgoingRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** The answer with the first 16 KiB of its body, or the reason why there is none. */
export type Exchange =
  | { status: number; headers: Record<string, string>; body: Buffer }
  | { failure: "timeout" | "unreachable" | "forbidden"; message: string };

/** A destination's only access to the network, to files and to standard output. */
export interface DestinationNetwork {
  send(request: OutgoingRequest): Promise<Exchange>;
  /** Name lookup that clients with sockets of their own must use for this host. Throws for a forbidden host. */
  guardedLookup(host: string): LookupFunction;
  /** Timeout of a whole attempt; `send` applies it by itself. */
  timeoutMs: number;
  /** Returns whether plain http is allowed for this host. */
  allowsPlainHttp(host: string): boolean;
  /** False for a host whose name shows that it is private, unless the operator allows it. */
  mayReach(host: string): boolean;
  /** The folder that files may be written to. */
  filesFolder: string;
  /** Writes to standard output. */
  print(line: string): void;
}

/** The rules for addresses in settings. */
export type AddressRules = Pick<DestinationNetwork, "allowsPlainHttp" | "mayReach">;

interface Settings<Config, Secrets> {
  config: Config;
  secrets: Secrets;
  /** The keys that sign now, newest first; empty unless the type signs. */
  signingKeys(): string[];
  /** Name of the destination. */
  name: string;
}

/** An open destination. Attempts may run concurrently; a failure at the receiver is an outcome, never an error. */
export interface Channel {
  deliver(message: Message): Promise<Outcome>;
  /** Sends several messages together; an outcome for each, in their order. Only types with `batch` have it. */
  deliverAll?(messages: Message[]): Promise<Outcome[]>;
  close(): Promise<void>;
}

/** When a batch of messages is sent: as soon as it has reached one of these. */
export interface BatchLimits {
  messages: number;
  /** Maximum total size of a batch's messages, each counted as its data plus 200 bytes. */
  bytes: number;
  /** Time since the first message of the batch. */
  waitMs: number;
}

/** A fault in the settings that a schema cannot express. */
export interface Fault {
  /** Path of the member, for example `metadata.url`. */
  name: string;
  detail: string;
}

/** A destination type without its static types: settings are checked before they get here. */
export interface DestinationType {
  type: string;
  /** For people. */
  label: string;
  /** What a receiver gets, in one sentence. */
  description: string;
  /** Shape of `metadata`. */
  config: TObject;
  /** Shape of `secrets`. */
  secrets: TObject;
  /** A signing key is made when the destination is. */
  signs: boolean;
  /** Counts towards the project's limit of webhooks per second. */
  paced: boolean;
  /** In larger messages, large members are replaced by addresses. */
  maxMessageBytes: number | undefined;
  /** For types that take several messages together, whose channels have `deliverAll`. */
  batch?(config: unknown): BatchLimits;
  /** Completes the request of an attempt from its message; for types whose outcomes have `sent`. */
  buildRequest?(message: Message, sent: SentPart): SentRequest;
  check(settings: { config: unknown; secrets: unknown }, network: AddressRules): Fault[];
  open(settings: Settings<unknown, unknown>, network: DestinationNetwork): Channel;
}

interface Definition<C extends TObject, S extends TObject> {
  type: string;
  label: string;
  description: string;
  config: C;
  secrets: S;
  signs?: boolean;
  paced?: boolean;
  maxMessageBytes?: number;
  batch?(config: Static<C>): BatchLimits;
  buildRequest?(message: Message, sent: SentPart): SentRequest;
  check?(settings: { config: Static<C>; secrets: Static<S> }, network: AddressRules): Fault[];
  open(settings: Settings<Static<C>, Static<S>>, network: DestinationNetwork): Channel;
}

/** Declares a type of destination; the schemas drive validation, masking and the dashboard's form. */
export function defineDestination<C extends TObject, S extends TObject>(
  definition: Definition<C, S>,
): DestinationType {
  const { signs = false, paced = false, maxMessageBytes, check = () => [] } = definition;
  const whole = { ...definition, signs, paced, maxMessageBytes, check };
  return whole as unknown as DestinationType;
}
