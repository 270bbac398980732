/** RabbitMQ and other AMQP 0-9-1 brokers: one message per event, to an exchange, with the event type as routing key. */
import { Type } from "typebox";
import { isPrivate } from "../../destination-kit/check-url.ts";
import {
  defineDestination,
  type AddressRules,
  type Fault,
  type Message,
  type Outcome,
  type DestinationNetwork,
} from "../../destination-kit/destination.ts";
import { Publisher, type Broker } from "./publisher.ts";
import { readMessage } from "../../ground/errors.ts";

/** An idle connection is closed after this time. */
const IDLE_MS = 60_000;

export const rabbitmq = defineDestination({
  type: "rabbitmq",
  label: "RabbitMQ",
  description:
    "One message to an exchange per message, with the event type as routing key; other AMQP 0-9-1 brokers work too.",
  config: Type.Object({
    serverUrl: Type.String({
      maxLength: 2_048,
      description: "Host and port, for example `broker.example.com:5671`; or `amqps://host:port/vhost`.",
    }),
    exchange: Type.String({ pattern: "^[\\x20-\\x7e]{1,255}$", description: "One that exists." }),
    tls: Type.Optional(
      Type.Boolean({
        description:
          "Default true. False is taken for hosts in BUSBAR_EGRESS_ALLOW: the password goes unencrypted.",
      }),
    ),
  }),
  secrets: Type.Object({
    username: Type.String({ minLength: 1, maxLength: 256 }),
    password: Type.String({ minLength: 1, maxLength: 1_024 }),
  }),
  check: ({ config }, network) => checkServer(config, network),
  open({ config, secrets }, network) {
    const server = parseServer(config);
    if (!server) throw new Error("metadata.serverUrl is no address");
    return openLine({ ...server, ...secrets }, config.exchange, network);
  },
});

/** Keeps one publisher while messages come; the first message after its end opens another. */
function openLine(broker: Broker, exchange: string, network: DestinationNetwork) {
  let publisher: Publisher | undefined;
  let underWay = 0;
  let idleMs = IDLE_MS;
  let idle: NodeJS.Timeout | undefined;
  const rest = () => {
    if (underWay > 0) return;
    idle = setTimeout(() => void publisher?.close(), idleMs).unref();
  };
  return {
    async deliver(message: Message): Promise<Outcome> {
      underWay += 1;
      clearTimeout(idle);
      const used = !publisher || publisher.ended ? new Publisher(broker, network) : publisher;
      publisher = used;
      try {
        await closeUnlessInTime(used, publish(used, exchange, message), network.timeoutMs);
        return { kind: "delivered", answer: `taken by the exchange ${exchange}` };
      } catch (error) {
        return {
          kind: "failed",
          error: readMessage(error),
          overloaded: error instanceof Late,
        };
      } finally {
        underWay -= 1;
        rest();
      }
    },
    /** Waits for messages that are under way. */
    async close() {
      idleMs = 0;
      clearTimeout(idle);
      if (underWay === 0) await publisher?.close();
    },
  };
}

const publish = (publisher: Publisher, exchange: string, { id, topic, time, data }: Message): Promise<void> =>
  publisher.publish(exchange, topic, Buffer.from(data), {
    messageId: id,
    type: topic,
    timestamp: Math.floor(time.getTime() / 1000),
    contentType: "application/json",
    persistent: true,
    headers: { topic, "event-id": id },
  });

class Late extends Error {}

/** Closes the connection to a broker that does not confirm in time: messages would pile up. */
async function closeUnlessInTime(
  publisher: Publisher,
  published: Promise<void>,
  timeoutMs: number,
): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const why = publisher.blocked === undefined ? "" : `; it blocks publishers: ${publisher.blocked}`;
    const reason = new Late(`the broker did not confirm the message within ${timeoutMs / 1000} s${why}`);
    reject(reason);
    publisher.kill(reason);
  }, timeoutMs);
  try {
    await Promise.race([published, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Server {
  serverUrl: string;
  tls?: boolean;
}

/** Decides about TLS: by `tls`, else by the scheme, else TLS is used. */
function parseServer({ serverUrl, tls }: Server): Omit<Broker, "username" | "password"> | undefined {
  const url = URL.parse(serverUrl.includes("://") ? serverUrl : `any://${serverUrl}`);
  if (!url || !url.hostname || !["amqp:", "amqps:", "any:"].includes(url.protocol)) return undefined;
  if (url.username || url.password || url.search || url.hash) return undefined;
  const speaksTls = tls ?? url.protocol !== "amqp:";
  return {
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || (speaksTls ? 5671 : 5672)),
    vhost: url.pathname.slice(1),
    tls: speaksTls,
  };
}

function checkServer(config: Server, network: AddressRules): Fault[] {
  const server = parseServer(config);
  if (!server) {
    const detail =
      "must be host and port such as broker.example.com:5671, or amqps://host:port/vhost, without user name and password";
    return [{ name: "metadata.serverUrl", detail }];
  }
  if (!network.mayReach(server.hostname)) {
    return [{ name: "metadata.serverUrl", detail: isPrivate(server.hostname) }];
  }
  if (server.tls || network.allowsPlainHttp(server.hostname)) return [];
  return [
    { name: "metadata.tls", detail: "must be true: the password would go through the network unencrypted" },
  ];
}
