/** What a type of destination is: how its settings look, and how one message reaches it. */
import type { LookupFunction } from "node:net";
import type { Static, TObject } from "typebox";

/** One thing to be told. */
export interface Message {
  /** The same at every attempt, and for every destination. */
  id: string;
  /** The type of the event. */
  topic: string;
  /** When it happened. */
  time: Date;
  /** JSON text of what is told. */
  data: string;
  projectId: string;
  destinationId: string;
}

/** What came of one attempt. Who delivers decides by `kind` alone; the rest is for people. */
export interface Outcome {
  /** `failed` is tried again later, `gone` never: the receiver said that nobody listens there any more. */
  kind: "delivered" | "failed" | "gone";
  /** HTTP status, where there was an answer. */
  status?: number;
  /** The beginning of the answer. */
  answer?: string;
  /** What went wrong, for people; never a secret. */
  error?: string;
  /** What the receiver asked for. */
  retryAfterMs?: number;
  /** It timed out or said that it is asked too often: the next attempt is a minute away at least. */
  overloaded?: boolean;
}

/** An HTTP request through the guarded door. */
export interface OutgoingRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** The answer, of which no more than its first 16 KiB, or why there is none. */
export type Exchange =
  | { status: number; headers: Record<string, string>; body: Buffer }
  | { failure: "timeout" | "unreachable" | "forbidden"; message: string };

/** What a destination is given to reach the network; it has no other way. */
export interface DestinationNetwork {
  send(request: OutgoingRequest): Promise<Exchange>;
  /** For clients that open sockets of their own to this host: they must look it up with this. Throws for a forbidden one. */
  guardedLookup(host: string): LookupFunction;
  /** For one attempt, all in all. `send` keeps to it by itself. */
  timeoutMs: number;
  /** Whether plain http may be spoken to this host. */
  allowsPlainHttp(host: string): boolean;
  /** False for a host whose very name says that it is private, unless the operator allows it. */
  mayReach(host: string): boolean;
  /** The folder that files may be written to. */
  filesFolder: string;
  /** Writes to standard output. */
  print(line: string): void;
}

/** What settings are checked against. */
export type AddressRules = Pick<DestinationNetwork, "allowsPlainHttp" | "mayReach">;

export interface Settings<Config, Secrets> {
  config: Config;
  secrets: Secrets;
  /** Every key that signs now, the newest first; empty unless the type signs. */
  signingKeys(): string[];
  /** The destination's own name. */
  name: string;
}

/** A destination that is open; attempts may run side by side. Never throws for what the receiver did. */
export interface Channel {
  deliver(message: Message): Promise<Outcome>;
  close(): Promise<void>;
}

/** A fault of the settings that their schemas cannot tell. */
export interface Fault {
  /** Path of the member, for example `metadata.url`. */
  name: string;
  detail: string;
}

/** `defineDestination` in its stored form, its schemas' types forgotten: settings are checked before they get here. */
export interface DestinationType {
  type: string;
  /** For people. */
  label: string;
  /** Shape of `metadata`. */
  config: TObject;
  /** Shape of `secrets`. */
  secrets: TObject;
  /** A signing key is made when the destination is. */
  signs: boolean;
  /** Counts against the project's webhooks per second. */
  paced: boolean;
  /** Larger messages go with a link to what makes them large. */
  maxMessageBytes: number | undefined;
  check(settings: { config: unknown; secrets: unknown }, network: AddressRules): Fault[];
  open(settings: Settings<unknown, unknown>, network: DestinationNetwork): Channel;
}

interface Definition<C extends TObject, S extends TObject> {
  type: string;
  label: string;
  config: C;
  secrets: S;
  signs?: boolean;
  paced?: boolean;
  maxMessageBytes?: number;
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
