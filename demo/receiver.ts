/** The application's webhook receiver: receives messages on loopback, verifies their signatures, stores them. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { nowMs } from "../ground/clock.ts";
import type { Json } from "../ground/json.ts";

export interface Received {
  headers: IncomingHttpHeaders;
  /** The unchanged body, which the signature covers. */
  text: string;
  body: Json;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Answers the next message that contains this text with 503. */
  refuseNext: string | undefined;
  close(): Promise<void>;
}

/** `port` 0 uses a free one. */
export async function startReceiver(port: number): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const refused = receiver.refuseNext !== undefined && text.includes(receiver.refuseNext);
      if (refused) receiver.refuseNext = undefined;
      else receiver.received.push({ headers: request.headers, text, body: JSON.parse(text) });
      response.writeHead(refused ? 503 : 204).end();
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const listening = typeof address === "object" && address ? address.port : port;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${listening}/webhook`,
    received: [],
    refuseNext: undefined,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}

const TOLERANCE_SECONDS = 300;

/** Verifies a signature by https://www.standardwebhooks.com: it covers id, timestamp and body; the timestamp must be recent. */
export function isVerified({ headers, text }: Received, signingKey: string): boolean {
  const [id, time, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name]),
  );
  if (Math.abs(nowMs() / 1_000 - Number(time)) > TOLERANCE_SECONDS) return false;
  const secret = Buffer.from(signingKey.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", secret).update(`${id}.${time}.${text}`).digest();
  return (signatures ?? "").split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
