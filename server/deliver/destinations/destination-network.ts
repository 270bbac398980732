/** Gives destinations access to the network through the egress guard, with a timeout on each exchange. */
import { join } from "node:path";
import type { Exchange, OutgoingRequest, DestinationNetwork } from "../../../destination-kit/destination.ts";
import { EgressError, toEgressError } from "../../egress/egress-error.ts";
import type { Egress } from "../../egress/egress.ts";

/** Enough of an answer to understand a refusal. */
const ANSWER_BYTES = 16 * 1024;

export function openDestinationNetwork(deps: {
  egress: Egress;
  dataDir: string;
  timeoutMs: number;
}): DestinationNetwork {
  return {
    send: (request) => send(deps.egress.dispatcher, request, deps.timeoutMs),
    guardedLookup: (host) => deps.egress.guardedLookup(host),
    timeoutMs: deps.timeoutMs,
    allowsPlainHttp: (host) => deps.egress.allowsPlainHttp(host),
    mayReach: (host) => deps.egress.mayReach(host),
    filesFolder: join(deps.dataDir, "messages"),
    print: (line) => void process.stdout.write(line),
  };
}

/**
 * Makes one exchange. The timeout covers all of it, so that a receiver that answers a byte per second cannot hold a slot.
 * An incomplete answer counts, because its status says whether the message was accepted.
 */
function send(
  dispatcher: Egress["dispatcher"],
  request: OutgoingRequest,
  timeoutMs: number,
): Promise<Exchange> {
  const { url, method, headers, body } = request;
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const chunks: Buffer[] = [];
  let size = 0;
  let sent = false;
  let answer: { status: number; headers: Record<string, string> } | undefined;
  let abort: (() => void) | undefined;
  const end = (exchange: Exchange) => {
    clearTimeout(timer);
    resolve(exchange);
  };
  const endAnswer = () => {
    if (answer) end({ ...answer, body: Buffer.concat(chunks) });
  };
  const timer = setTimeout(() => {
    endAnswer();
    end({ failure: "timeout", message: `${url.host} did not answer within ${timeoutMs / 1000} s` });
    abort?.();
  }, timeoutMs);
  dispatcher.dispatch(
    { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body, headersTimeout: 0 },
    {
      onRequestStart: (controller) => {
        sent = true;
        abort = () => controller.abort(new Error("enough"));
      },
      onResponseStart: (_controller, status, responseHeaders) => {
        if (status >= 200) answer = { status, headers: pickFirstValues(responseHeaders) };
      },
      onResponseData: (_controller, chunk) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size < ANSWER_BYTES) return;
        endAnswer();
        abort?.();
      },
      onResponseEnd: endAnswer,
      onResponseError: (_controller, error) => {
        endAnswer();
        end(toFailedExchange(error, sent, url.host));
      },
    },
  );
  return promise;
}

const pickFirstValues = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, (Array.isArray(value) ? value[0] : value) ?? ""]),
  );

function toFailedExchange(error: unknown, sent: boolean, host: string): Exchange {
  const { failure, message } = error instanceof EgressError ? error : toEgressError(error, sent, host);
  if (failure === "timeout") return { failure: "timeout", message };
  return { failure: failure === "forbidden-address" ? "forbidden" : "unreachable", message };
}
