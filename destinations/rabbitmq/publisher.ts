/** One connection to a broker and on it one channel, whose broker confirms or returns each message. */
import { Readable } from "node:stream";
import type { ChannelModel, ConfirmChannel, Message as Returned, Options } from "amqplib";
import type { DestinationNetwork } from "../../destination-kit/destination.ts";

export interface Broker {
  hostname: string;
  port: number;
  /** As in an address: percent-encoded. Empty: the default one. */
  vhost: string;
  tls: boolean;
  username: string;
  password: string;
}

/** Seconds. A broker that is silent for twice as long is gone. */
const HEARTBEAT = 20;
/** Answers are short; only a message that comes back is not, and that is cut into frames of half the size. */
const MAX_FRAME_BYTES = 256 * 1024;

/** What a broker may send besides what it gives back, once and for each message: the client keeps a body to its end. */
const ALLOWANCE_BYTES = 1024 * 1024;
const ALLOWANCE_PER_MESSAGE_BYTES = 4 * 1024;

const REFUSED = "the broker refused the message: a queue of the exchange is full or cannot store it";

const GOODBYE_MS = 5_000;

export class Publisher {
  /** Nothing more can be published. */
  ended = false;
  readonly #socket = new AbortController();
  readonly #channel: Promise<ConfirmChannel>;
  readonly #returned = new Set<unknown>();
  #model: ChannelModel | undefined;
  /** Why it ended; whoever waits is told only that it did. */
  #reason: unknown;
  #blocked: string | undefined;
  #mayReadBytes = ALLOWANCE_BYTES;
  #leaving: Promise<void> | undefined;

  /** Begins to connect. */
  constructor(broker: Broker, network: DestinationNetwork) {
    this.#channel = this.#open(broker, network);
    this.#channel.catch((error: unknown) => this.kill(error));
  }

  /** Why the broker wants nothing at present, in its words. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  /** Resolves when the broker has stored the message in a queue; throws saying why it has not. `options.messageId` must be set. */
  async publish(exchange: string, key: string, content: Buffer, options: Options.Publish): Promise<void> {
    const channel = await this.#channel.catch((error: unknown) => {
      throw this.#reason ?? error;
    });
    this.#mayReadBytes += 2 * content.length + ALLOWANCE_PER_MESSAGE_BYTES;
    await new Promise<void>((resolve, reject) => {
      channel.publish(exchange, key, content, { ...options, mandatory: true }, (error: unknown) => {
        if (error) return reject(this.#reason ?? (this.ended ? error : new Error(REFUSED)));
        // What nobody gets is returned first, and confirmed all the same.
        if (!this.#returned.delete(options.messageId)) return resolve();
        reject(new Error(`the exchange ${exchange} has no queue for the routing key ${key}`));
      });
    });
  }

  /** Takes leave of the broker, which may be past answering. */
  close(): Promise<void> {
    this.ended = true;
    return (this.#leaving ??= this.#leave());
  }

  /** Lets the connection go at once; what was under way fails with the reason. */
  kill(reason: unknown): void {
    this.#end(reason);
    this.#socket.abort();
  }

  async #open(broker: Broker, network: DestinationNetwork): Promise<ConfirmChannel> {
    // Loaded when the first message comes: most installations never need it.
    const { connect } = await import("amqplib");
    const { hostname, tls, ...rest } = broker;
    const socket = {
      lookup: network.guardedLookup(hostname),
      signal: this.#socket.signal,
      noDelay: true,
      keepAlive: true,
    };
    const protocol = tls ? "amqps" : "amqp";
    const limits = { heartbeat: HEARTBEAT, frameMax: MAX_FRAME_BYTES / 2, maxFrameSize: MAX_FRAME_BYTES };
    const model = await connect({ protocol, hostname, ...rest, ...limits }, socket).catch((error) => {
      const where = `${hostname}:${rest.port}${rest.vhost && `, virtual host ${rest.vhost}`}`;
      throw new Error(`cannot open a connection to ${where}: ${wordsOf(error)}`, { cause: error });
    });
    this.#model = model;
    this.#boundReading(model);
    model.on("error", (error) => this.#end(error));
    model.on("close", (error) => this.#end(error));
    model.on("blocked", (reason) => (this.#blocked = reason));
    model.on("unblocked", () => (this.#blocked = undefined));
    const channel = await model.createConfirmChannel();
    channel.on("return", ({ properties }: Returned) => void this.#returned.add(properties.messageId));
    // An exchange that does not exist, for example: the broker closes the channel, not the connection.
    channel.on("error", (error) => this.#end(error));
    channel.on("close", () => void this.close());
    return channel;
  }

  #boundReading({ connection }: ChannelModel): void {
    const socket = "stream" in connection ? connection.stream : undefined;
    if (!(socket instanceof Readable && "bytesRead" in socket))
      throw new Error("the AMQP client hides its socket");
    socket.on("readable", () => {
      if (Number(socket.bytesRead) > this.#mayReadBytes) {
        this.kill(new Error("the broker sends more than it was sent; the connection to it was ended"));
      }
    });
  }

  async #leave(): Promise<void> {
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, GOODBYE_MS);
    // What cannot be closed is closed already.
    const closed = this.#channel.then(() => this.#model?.close()).catch(() => {});
    await Promise.race([closed, enough]);
    clearTimeout(timer);
    this.kill(new Error("the connection was closed"));
  }

  #end(reason: unknown): void {
    this.ended = true;
    this.#reason ??= reason;
  }
}

/** Several addresses that were tried in vain have their reasons inside. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return wordsOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
