/** Classifies failed calls of Salesforce's Pub/Sub API by the code in their trailers. Pure. */
import { Code, ConnectError } from "@connectrpc/connect";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import { addToNow } from "../../connector-kit/calls/send-request.ts";
import { LostPositionError } from "../../connector-kit/stream-connector.ts";
import { readMessage } from "../../ground/errors.ts";

const PREFIX = /^sfdc\.platform\.eventbus\.grpc\./;
const MINUTE_MS = 60_000;
/** Deliveries are counted over 24 hours, without a time at which more are allowed. */
const ALLOCATION_MS = 15 * MINUTE_MS;

const LOST_POSITION = /^subscription\.fetch\.replayid\.(corrupted|validation\.failed)$/;
const SLOW_DOWN =
  /^(concurrent\.client\.limit\.exceeded|service\.protection\.triggered|.*stream\.limit\.triggered)$/;

const KINDS: Record<string, ProviderErrorKind> = {
  "service.auth.error": "unauthorized",
  "service.auth.headers.invalid": "unauthorized",
  "topic.not.found": "not_found",
  "subscription.topic.cannot.subscribe": "forbidden",
  "topic.meta.permission": "forbidden",
  "schema.meta.permission": "forbidden",
  "service.tenant.license": "forbidden",
};

/** For answers with a status of gRPC and without a code of Salesforce. */
const KIND_BY_STATUS: Partial<Record<Code, ProviderErrorKind>> = {
  [Code.Unauthenticated]: "unauthorized",
  [Code.PermissionDenied]: "forbidden",
};
const MAX_REASON = 500;

/** Everything that is not listed is repeated from the stored position. */
export function toStreamError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (!(error instanceof ConnectError)) {
    const reason = readMessage(error);
    return new ProviderError({
      kind: "unavailable",
      message: `Salesforce's Pub/Sub API: ${reason}`,
      cause: error,
    });
  }
  const code = getMetadata(error, "error-code");
  const suffix = code?.replace(PREFIX, "") ?? "";
  const rpcId = getMetadata(error, "rpc-id");
  const message = `Salesforce's Pub/Sub API: ${error.rawMessage.slice(0, MAX_REASON)}${code ? ` (${code}${rpcId ? `, rpc-id ${rpcId}` : ""})` : ""}`;
  const options = { message, code, cause: error };
  if (LOST_POSITION.test(suffix)) return new LostPositionError({ kind: "invalid", ...options });
  if (suffix === "subscription.limit.exceeded")
    return new ProviderError({ kind: "rate_limited", retryAt: addToNow(ALLOCATION_MS), ...options });
  if (SLOW_DOWN.test(suffix))
    return new ProviderError({ kind: "rate_limited", retryAt: addToNow(MINUTE_MS), ...options });
  const byCode = Object.hasOwn(KINDS, suffix) ? KINDS[suffix] : undefined;
  // The library gives broken connections and answers of proxies a status, too.
  const isAnswered = suffix === "" && error.metadata.has("grpc-status");
  const byStatus = isAnswered ? KIND_BY_STATUS[error.code] : undefined;
  return new ProviderError({ kind: byCode ?? byStatus ?? "unavailable", ...options });
}

const getMetadata = ({ metadata }: ConnectError, name: string): string | undefined =>
  metadata.get(name) || undefined;
