/** The types of Problems: status, title, and for the reference what causes them and what to do. */

export interface ProblemType {
  /** HTTP status. */
  status: number;
  title: string;
  /** Whether the same request may succeed later. A Problem can overrule it. */
  retryable: boolean;
  /** Causes, for the guide and the page of the type. */
  causes: string;
  /** What a caller does about it, likewise. */
  remedy: string;
  /** The page of the guide that says more, beside the one about errors. */
  guide?: string;
}

export const PROBLEM_TYPES = {
  "invalid-request": {
    status: 400,
    title: "Invalid request",
    retryable: false,
    causes: "A parameter or member is missing, has the wrong type or breaks a limit.",
    remedy: "Fix the faults listed in `issues`.",
  },
  "malformed-json": {
    status: 400,
    title: "Malformed JSON",
    retryable: false,
    causes:
      "The body is not valid JSON, often because of a trailing comma, single quotes or a truncated body.",
    remedy: "Send the output of a JSON serializer.",
  },
  "unsupported-by-provider": {
    status: 400,
    title: "Not supported by the provider",
    retryable: false,
    causes:
      "Busbar has no connector for this action with the provider, or the provider lacks an option you set.",
    remedy:
      "Check `support` and `features` of `GET /v1/providers/{provider}`. The proxy can call any API of the provider.",
    guide: "status",
  },
  unauthenticated: {
    status: 401,
    title: "Missing or invalid credentials",
    retryable: false,
    causes:
      "No API key or token was sent; the key is unknown, inactive or of another project; the token is " +
      "expired or its signature does not match.",
    remedy: "Send an active key in `X-Api-Key`, or a valid token as `Authorization: Bearer`.",
    guide: "access",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    retryable: false,
    causes:
      "The key lacks the scope, the project belongs to another organisation, a customer's token names " +
      "another group, or the operation needs a person.",
    remedy: "Use a credential that may do it; the reference names the callers of each operation.",
    guide: "access",
  },
  "proxy-disabled": {
    status: 403,
    title: "Proxy not enabled",
    retryable: false,
    causes: "The manifest or the customer's configuration does not enable the proxy.",
    remedy:
      "Set `proxy: { enabled: true }` in the manifest, deploy it, and check the installation's configuration.",
    guide: "proxy",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    retryable: false,
    causes: "No resource with this id or name exists in the project.",
    remedy: "Check id, name and project. List the resources to see what exists.",
  },
  "unknown-path": {
    status: 404,
    title: "Unknown path",
    retryable: false,
    causes: "No operation has this path: a typo, or a request for the proxy that was sent to the API's port.",
    remedy: "Check the path. Calls to a provider go to the proxy's address.",
    guide: "getting-started",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    retryable: false,
    causes: "The path exists, but not with this method.",
    remedy: "Use a method that the reference lists for the path.",
  },
  "request-timeout": {
    status: 408,
    title: "Request timeout",
    retryable: true,
    causes: "Headers or body of the request did not arrive in time.",
    remedy: "Send the request again. If it happens often, check the network between client and Busbar.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    retryable: false,
    causes: "A resource with the same name or key exists, or another resource still uses this one.",
    remedy:
      "Choose another name, update the existing resource, or delete what uses it first. `detail` names it.",
  },
  "names-in-use": {
    status: 409,
    title: "Names in use",
    retryable: false,
    causes:
      "A deployment with `destructive=false` removes or renames objects or mapped fields that installations write to, or a destination is deleted or renamed into which integrations read or subscribe.",
    remedy:
      "Keep the names listed in `issues`, or deploy with `destructive=true`. For a destination, first let manifests and configurations name another one.",
    guide: "manifest",
  },
  "operation-in-progress": {
    status: 409,
    title: "Request in progress",
    retryable: true,
    causes: "A request with the same idempotency key is still running.",
    remedy: "Repeat the request with the same key after `retryAfter`, or after a few seconds.",
    guide: "writing-records",
  },
  "body-too-large": {
    status: 413,
    title: "Request body too large",
    retryable: false,
    causes:
      "The body is larger than 10 MB; uploads may have 50 MB, and proxied requests that Busbar signs 1 MiB.",
    remedy: "Send smaller batches.",
    guide: "configuration",
  },
  "unsupported-media-type": {
    status: 415,
    title: "Unsupported media type",
    retryable: false,
    causes: "The body was not sent as `application/json`.",
    remedy: "Send the header `Content-Type: application/json`.",
  },
  "semantically-invalid": {
    status: 422,
    title: "Unprocessable request",
    retryable: false,
    causes:
      "The request has the right form, but a value is not acceptable: an invalid name, an unknown provider, a resource of another customer.",
    remedy: "Change the values that `detail` or `issues` name.",
  },
  "invalid-manifest": {
    status: 422,
    title: "Invalid manifest",
    retryable: false,
    causes: "The manifest breaks rules of its format.",
    remedy:
      "Fix the faults listed in `issues`; each has line, column, rule and remedy. `busbar validate` finds them before a deployment.",
    guide: "manifest",
  },
  "invalid-config": {
    status: 422,
    title: "Invalid configuration",
    retryable: false,
    causes:
      "The customer's configuration names objects or options that the manifest does not have, or lacks required ones.",
    remedy: "Fix the faults listed in `issues`.",
    guide: "manifest",
  },
  "provider-refused": {
    status: 422,
    title: "Rejected by the provider",
    retryable: false,
    causes:
      "The provider rejected the request, for example because of an invalid value or a missing required field.",
    remedy: "Read the provider's reasons in `detail` and `errors`.",
    guide: "writing-records",
  },
  "reconnect-required": {
    status: 422,
    title: "Reconnect required",
    retryable: false,
    causes:
      "The provider rejects the connection's credentials: the customer revoked the access, changed the password, " +
      "or the tokens have expired. On the proxy the status is 401.",
    remedy:
      "Ask the customer to connect the account again; `connectionId` names the connection. A retry cannot succeed before.",
    guide: "connections",
  },
  "permission-missing": {
    status: 422,
    title: "Permission missing at the provider",
    retryable: false,
    causes: "The credentials work, but lack a scope or permission for this object or action.",
    remedy:
      "Add the scope to the provider app and let the customer connect again, or ask the customer for the permission.",
    guide: "registering-apps",
  },
  "record-not-found": {
    status: 422,
    title: "Record not found at the provider",
    retryable: false,
    causes: "The provider has no record of the id that the write names, or no such object.",
    remedy: "Check the id; the record may have been deleted or merged.",
    guide: "writing-records",
  },
  "record-conflict": {
    status: 422,
    title: "Record conflicts with another one",
    retryable: false,
    causes: "The provider already has such a record, for example with the same email address.",
    remedy: "Update the existing record; `detail` often names its id.",
    guide: "writing-records",
  },
  "credentials-locked": {
    status: 422,
    title: "Credentials may be locked",
    retryable: false,
    causes: "The provider has locked the account or may do so; another attempt could make it worse.",
    remedy: "Check the account at the provider before you send more.",
    guide: "connections",
  },
  "idempotency-key-reused": {
    status: 422,
    title: "Idempotency key reused",
    retryable: false,
    causes: "Another request with a different body used the same idempotency key.",
    remedy: "Use a new key for each request, and repeat a request with its own body.",
    guide: "writing-records",
  },
  "rate-limited": {
    status: 429,
    title: "Rate limited by the provider",
    retryable: true,
    causes: "The provider's rate limit for this connection is reached. Nothing was written.",
    remedy:
      "Wait until `retryAfter` (also the header `Retry-After`), then send the request again, with the same idempotency key.",
    guide: "writing-records",
  },
  "too-many-requests": {
    status: 429,
    title: "Too many requests",
    retryable: true,
    causes:
      "A limit of Busbar's own is reached: the rate limit of the API key, the operator's limits of the proxy, too many " +
      "triggered reads of an object that are not over, or too many failed sign-ins.",
    remedy: "Wait until `retryAfter` (also the header `Retry-After`), then send the request again.",
    guide: "configuration",
  },
  internal: {
    status: 500,
    title: "Internal error",
    retryable: true,
    causes: "A fault in Busbar.",
    remedy: "Look up `requestId` in the log, and report the error with it.",
    guide: "seeing-inside",
  },
  "not-built": {
    status: 501,
    title: "Not implemented",
    retryable: false,
    causes: "The operation is part of the API but not implemented yet.",
    remedy: "See `detail` for an alternative.",
    guide: "status",
  },
  "provider-unreachable": {
    status: 502,
    title: "Provider unreachable",
    retryable: true,
    causes:
      "The provider could not be reached or answered with a server error, or the address is not allowed for outgoing connections.",
    remedy:
      "Try again later. If the address is wrong or not allowed, correct it; `retryable` tells the two apart.",
    guide: "seeing-inside",
  },
  "provider-unreadable": {
    status: 502,
    title: "Unreadable response of the provider",
    retryable: false,
    causes:
      "The provider's response is not in the expected format or is too large. The write may have happened.",
    remedy: "Look the record up at the provider before you repeat the write.",
    guide: "checking-providers",
  },
  unavailable: {
    status: 503,
    title: "Temporarily unavailable",
    retryable: true,
    causes: "The database or the identity provider is not reachable, or Busbar is starting or stopping.",
    remedy:
      "Try again in a few seconds. If `retryable` is false, the database did not confirm the request: look up whether it was carried out.",
    guide: "operating",
  },
  "provider-timeout": {
    status: 504,
    title: "Provider timeout",
    retryable: true,
    causes: "The provider did not respond in time, and the request can be repeated safely.",
    remedy:
      "If `retryable` is true, try again. Otherwise look the record up at the provider before you repeat the request.",
    guide: "writing-records",
  },
  "unknown-outcome": {
    status: 504,
    title: "Outcome unknown",
    retryable: false,
    causes:
      "A write was sent, and no answer came or none that proves what happened: the provider may or may not have carried it out.",
    remedy: "Look the record up at the provider before you repeat the write.",
    guide: "writing-records",
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemSlug = keyof typeof PROBLEM_TYPES;
