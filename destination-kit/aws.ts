/** Lets AWS clients send through the egress guard, and turns their errors into outcomes. */
import { Readable } from "node:stream";
import { Type } from "typebox";
import { checkEndpoint } from "./check-url.ts";
import type {
  AddressRules,
  Exchange,
  Fault,
  OutgoingRequest,
  Outcome,
  DestinationNetwork,
} from "./destination.ts";
import { excerptBody, cutExcerpt, retryAfterMs } from "./http-outcome.ts";

/** Members that all AWS destinations have. */
export const AWS_CONFIG = {
  region: Type.String({ pattern: "^[a-z0-9-]{2,30}$", description: "For example us-east-1." }),
  endpointUrl: Type.Optional(
    Type.String({ maxLength: 2_048, description: "Of a service that speaks the same protocol." }),
  ),
};

export const AWS_SECRETS = {
  awsKeyId: Type.String({ minLength: 1, maxLength: 256 }),
  awsSecretKey: Type.String({ minLength: 1, maxLength: 256 }),
  awsSessionToken: Type.Optional(Type.String({ maxLength: 8_192 })),
};

/** Checks what a schema cannot express: forbidden endpoints, and keys that were copied with blanks around them. */
export function checkAws(
  config: { endpointUrl?: string },
  secrets: Record<string, string | undefined>,
  network: AddressRules,
): Fault[] {
  return [
    ...checkEndpoint(config.endpointUrl, network),
    ...Object.entries(secrets).flatMap(([name, value]) =>
      /^[\x21-\x7e]*$/.test(value ?? "")
        ? []
        : [{ name: `secrets.${name}`, detail: "must hold no blanks, line ends or special characters" }],
    ),
  ];
}

interface AwsSettings {
  config: { region: string; endpointUrl?: string };
  secrets: { awsKeyId: string; awsSecretKey: string; awsSessionToken?: string };
}

/**
 * Returns options for any AWS client. One attempt only, because Busbar retries by itself. An option that is missing here
 * would be read from the environment or `~/.aws`, which belong to the operator, not to the builder of the destination.
 */
export const buildAwsOptions = ({ config, secrets }: AwsSettings, network: DestinationNetwork) => ({
  region: config.region,
  ...(config.endpointUrl !== undefined && { endpoint: config.endpointUrl }),
  credentials: {
    accessKeyId: secrets.awsKeyId,
    secretAccessKey: secrets.awsSecretKey,
    ...(secrets.awsSessionToken !== undefined && { sessionToken: secrets.awsSessionToken }),
  },
  ignoreConfiguredEndpointUrls: true,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  // "auto" would call the cloud's metadata address and bypass the egress guard.
  defaultsMode: "standard" as const,
  retryMode: "standard",
  maxAttempts: 1,
  requestHandler: createAwsHandler(network),
});

/** The part of the SDK's request that matters here. */
interface AwsRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** An exchange without an answer; thrown so that the client gives up. */
class NoAnswer extends Error {
  readonly exchange: Exchange & { failure: string };

  constructor(exchange: Exchange & { failure: string; message: string }) {
    super(exchange.message);
    this.exchange = exchange;
  }
}

/** The raw answer: the errors of clients say little about an answer that they cannot parse. */
const RAW = Symbol("raw answer");

function createAwsHandler(network: DestinationNetwork) {
  return {
    async handle(request: AwsRequest) {
      const exchange = await network.send(toOutgoing(request));
      if ("failure" in exchange) throw new NoAnswer(exchange);
      const { status, headers, body } = exchange;
      return { response: { statusCode: status, headers, body: Readable.from([body]), [RAW]: body } };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
    destroy: () => {},
  };
}

function toOutgoing(request: AwsRequest): OutgoingRequest {
  const { protocol, hostname, port, path, query = {}, method, body } = request;
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encode(name)}${one === null ? "" : `=${encode(one ?? "")}`}`),
  );
  const search = pairs.length > 0 ? `?${pairs.join("&")}` : "";
  const url = new URL(`${protocol}//${host}${port ? `:${port}` : ""}${path}${search}`);
  if (body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new Error("an AWS client sent a body that is neither text nor bytes");
  }
  // The egress guard sets the length itself.
  const { "content-length": _length, ...headers } = request.headers;
  // Plain bytes, because the SDK's own type logs a warning when it is read as text.
  const bytes = typeof body === "object" ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body;
  return { url, method, headers, body: bytes };
}

/** Percent-encodes as signatures require: everything but unreserved characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Names of errors that mean a rate limit. */
const THROTTLED = /throttl|SlowDown|ThroughputExceeded|TooManyRequests|LimitExceeded/i;

/** Turns an error of an AWS client into an outcome. */
export function toAwsOutcome(error: unknown): Outcome {
  if (error instanceof NoAnswer) {
    return { kind: "failed", error: error.message, overloaded: error.exchange.failure === "timeout" };
  }
  const { status, headers, body } = readAnswer(error);
  const refusal = status === undefined ? String(error) : readRefusal(error);
  return {
    kind: "failed",
    ...(status !== undefined && { status }),
    ...(body && { answer: excerptBody(body) }),
    error: cutExcerpt((refusal ?? `the receiver answered ${status}`).slice(0, 2_000)),
    overloaded: THROTTLED.test(refusal?.split(":")[0] ?? "") || status === 429,
    retryAfterMs: retryAfterMs(headers?.["retry-after"]),
  };
}

/** Returns the service's named error; undefined for an answer that a client cannot parse, perhaps that of a gateway. */
function readRefusal(error: unknown): string | undefined {
  // Clients mark parsed answers with `$fault`; name and message may be any JSON value of the answer.
  if (!(error instanceof Error && "$fault" in error)) return undefined;
  const { name, message }: { name: unknown; message: unknown } = error;
  if (typeof name !== "string" || name === "Error" || name === "Unknown") return undefined;
  return typeof message === "string" ? `${name}: ${message}` : name;
}

function readAnswer(error: unknown): { status?: number; headers?: Record<string, string>; body?: Buffer } {
  if (typeof error !== "object" || error === null || !("$response" in error)) return {};
  const { $response } = error as {
    $response?: { statusCode?: number; headers?: Record<string, string>; [RAW]?: Buffer };
  };
  return { status: $response?.statusCode, headers: $response?.headers, body: $response?.[RAW] };
}
