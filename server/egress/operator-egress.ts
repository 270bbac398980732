/** Opens connections to addresses that only the operator sets, such as a collector of traces in the private network. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Agent } from "undici";
import type { EgressRequest, EgressResponse } from "./egress.ts";
import { send } from "./send.ts";

export interface OperatorEgress {
  /** Sends a request and reads the whole answer. Redirects are not followed. Throws `EgressError`. */
  send(request: EgressRequest): Promise<EgressResponse>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Without the address guard, which protects the operator's network from addresses that builders and customers choose: no
 * address that one of them has given may be called through it. Its connections are shared with nothing else.
 */
export function openOperatorEgress(): OperatorEgress {
  const dispatcher = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, keepAliveTimeout: 10_000 });
  return {
    send: (request) => send(dispatcher, request),
    close: () => dispatcher.destroy(),
  };
}

/** Returns connections of this kind for a client that makes its requests with `node:http`. */
export const openOperatorAgent = (protocol: string): HttpAgent =>
  protocol === "https:" ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
