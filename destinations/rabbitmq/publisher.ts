/** One connection to a broker with one channel, on which the broker confirms or returns each message. */
import { Readable } from "node:stream";
import type { ChannelModel, ConfirmChannel, Message as Returned, Options } from "amqplib";
import type { DestinationNetwork } from "../../destination-kit/destination.ts";
import { readMessage } from "../../ground/errors.ts";

export interface Broker {
  hostname: string;
  port: number;
  /** Percent-encoded. Empty: the default virtual host. */
  vhost: string;
  tls: boolean;
  username: string;
  password: string;
}

/** In seconds. A broker that is silent for twice as long counts as gone. */
const HEARTBEAT = 20;
/** Answers are short, except for returned messages, which come in frames of half this size. */
const MAX_FRAME_BYTES = 256 * 1024;

/** Bytes that a broker may send beside returned messages, in total and per message: the client buffers whole bodies. */
const ALLOWANCE_BYTES = 1024 * 1024;
const ALLOWANCE_PER_MESSAGE_BYTES = 4 * 1024;

const REFUSED = "the broker refused the message: a queue of the exchange is full or cannot store it";

const GOODBYE_MS = 5_000;

export class Publisher {
  /** True when nothing more can be published. */
  ended = false;
  readonly #socket = new AbortController();
  readonly #channel: Promise<ConfirmChannel>;
  readonly #returned = new Set<unknown>();
  #model: ChannelModel | undefined;
  /** Why the connection ended; the client's own errors say only that it did. */
  #reason: unknown;
  #blocked: string | undefined;
  #mayReadBytes = ALLOWANCE_BYTES;
  #leaving: Promise<void> | undefined;

  /** Starts to connect. */
  constructor(broker: Broker, network: DestinationNetwork) {
    this.#channel = this.#open(broker, network);
    this.#channel.catch((error: unknown) => this.kill(error));
  }

  /** The broker's reason for accepting nothing at present. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  /** Resolves when the broker has stored the message in a queue; throws the reason otherwise. Set `options.messageId`. */
  async publish(exchange: string, key: string, content: Buffer, options: Options.Publish): Promise<void> {
    const channel = await this.#channel.catch((error: unknown) => {
      throw this.#reason ?? error;
    });
    this.#mayReadBytes += 2 * content.length + ALLOWANCE_PER_MESSAGE_BYTES;
    await new Promise<void>((resolve, reject) => {
      channel.publish(exchange, key, content, { ...options, mandatory: true }, (error: unknown) => {
        if (error) return reject(this.#reason ?? (this.ended ? error : new Error(REFUSED)));
        // A message without a queue is returned first, and confirmed all the same.
        if (!this.#returned.delete(options.messageId)) return resolve();
        reject(new Error(`the exchange ${exchange} has no queue for the routing key ${key}`));
      });
    });
  }

  /** Closes the connection properly, if the broker still answers. */
  close(): Promise<void> {
    this.ended = true;
    return (this.#leaving ??= this.#leave());
  }

  /** Drops the connection at once; messages under way fail with the reason. */
  kill(reason: unknown): void {
    this.#end(reason);
    this.#socket.abort();
  }

  async #open(broker: Broker, network: DestinationNetwork): Promise<ConfirmChannel> {
    // Loaded with the first message: most installations never need it.
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
      throw new Error(`cannot open a connection to ${where}: ${describeError(error)}`, { cause: error });
    });
    this.#model = model;
    this.#boundReading(model);
    model.on("error", (error) => this.#end(error));
    model.on("close", (error) => this.#end(error));
    model.on("blocked", (reason) => (this.#blocked = reason));
    model.on("unblocked", () => (this.#blocked = undefined));
    const channel = await model.createConfirmChannel();
    channel.on("return", ({ properties }: Returned) => void this.#returned.add(properties.messageId));
    // For example for a missing exchange the broker closes the channel, not the connection.
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
    // Closed already.
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

/** Returns the message of an error; of the first one when several addresses have failed. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return describeError(error.errors[0]);
  return readMessage(error);
}
