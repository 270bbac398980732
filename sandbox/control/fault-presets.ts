// Provider errors by name, so that callers need not know the exact bodies.

import type { SandboxFault } from "./fault.ts";

const CORRELATION_ID = "0f0e0d0c-0b0a-4908-8706-050403020100";

/** Finds a preset. Throws a RangeError that lists the names. */
export function findPreset(name: string): SandboxFault {
  const preset = PRESETS[name];
  if (preset === undefined) {
    throw new RangeError(`no preset "${name}"; there are: ${Object.keys(PRESETS).join(", ")}`);
  }
  return preset;
}

function buildHubspotFault(
  status: number,
  body: Record<string, unknown>,
  headers?: Record<string, string>,
): SandboxFault {
  return {
    provider: "hubspot",
    status,
    body: { status: "error", correlationId: CORRELATION_ID, ...body },
    ...(headers === undefined ? {} : { headers }),
  };
}

function buildHubspotLimit(policyName: string, message: string): SandboxFault {
  return buildHubspotFault(429, {
    message,
    errorType: "RATE_LIMIT",
    category: "RATE_LIMITS",
    policyName,
    requestId: CORRELATION_ID,
  });
}

function buildSalesforceFault(status: number, errorCode: string, message: string): SandboxFault {
  return { provider: "salesforce", status, body: [{ message, errorCode }] };
}

const PRESETS: Record<string, SandboxFault> = {
  "page.repeated_id": { alter: "repeated_id" },
  "page.endless_cursor": { alter: "endless_cursor", count: 1_000_000 },
  "page.huge": { alter: "huge" },
  "page.wrong_types": { alter: "wrong_types" },
  "page.wrong_shape": { alter: "wrong_shape" },
  "page.field_gone": { alter: "field_gone", count: 1_000_000 },
  "hubspot.uri_too_long": {
    provider: "hubspot",
    status: 414,
    headers: { "content-type": "text/html" },
    body: "<html><body><h1>414 Request-URI Too Large</h1></body></html>",
  },
  "hubspot.missing_scopes": buildHubspotFault(403, {
    message:
      "This app hasn't been granted all required scopes to make this call. Read more about required scopes.",
    errors: [
      {
        message: "One or more of the following scopes are required.",
        context: { requiredGranularScopes: ["crm.objects.contacts.write"] },
      },
    ],
    links: { scopes: "https://developers.hubspot.com/scopes" },
    category: "MISSING_SCOPES",
  }),
  "hubspot.expired_authentication": buildHubspotFault(401, {
    message: "The OAuth token used to make this call expired 1 second(s) ago.",
    context: { "expire time": ["2026-01-01T00:00:00Z"] },
    category: "EXPIRED_AUTHENTICATION",
  }),
  "hubspot.invalid_authentication": buildHubspotFault(401, {
    message: "Authentication credentials not found. This API supports OAuth 2.0 authentication.",
    category: "INVALID_AUTHENTICATION",
  }),
  "hubspot.rate_limit": buildHubspotLimit(
    "TEN_SECONDLY_ROLLING",
    "You have reached your ten_secondly_rolling limit.",
  ),
  "hubspot.rate_limit_daily": buildHubspotLimit("DAILY", "You have reached your daily limit."),
  "hubspot.rate_limit_search": buildHubspotLimit("SECONDLY", "You have reached your secondly limit."),
  "hubspot.locked": buildHubspotFault(423, {
    message: "This resource is locked while another sync runs.",
    category: "LOCKED",
  }),
  "hubspot.migrating": buildHubspotFault(
    477,
    { message: "This account is being moved to another data center.", category: "MIGRATION_IN_PROGRESS" },
    { "retry-after": "3600" },
  ),
  "hubspot.bad_refresh_token": {
    provider: "hubspot",
    path: "/oauth/",
    status: 400,
    body: {
      error: "invalid_grant",
      error_description: "refresh token is invalid, expired or revoked",
      status: "BAD_REFRESH_TOKEN",
      message: "missing or invalid refresh token",
      correlationId: CORRELATION_ID,
    },
  },
  "hubspot.bad_gateway": {
    provider: "hubspot",
    status: 502,
    headers: { "content-type": "text/html" },
    body: "<html><body><h1>502 Bad Gateway</h1></body></html>",
  },
  "salesforce.invalid_session": buildSalesforceFault(401, "INVALID_SESSION_ID", "Session expired or invalid"),
  "salesforce.request_limit_daily": buildSalesforceFault(
    403,
    "REQUEST_LIMIT_EXCEEDED",
    "TotalRequests Limit exceeded.",
  ),
  "salesforce.request_limit_concurrent": buildSalesforceFault(
    403,
    "REQUEST_LIMIT_EXCEEDED",
    "ConcurrentRequests (Concurrent API Requests) Limit exceeded.",
  ),
  "salesforce.row_locked": buildSalesforceFault(
    400,
    "UNABLE_TO_LOCK_ROW",
    "unable to obtain exclusive access to this record",
  ),
  "salesforce.unavailable": buildSalesforceFault(503, "SERVER_UNAVAILABLE", "We are down for maintenance."),
  "salesforce.query_timeout": buildSalesforceFault(
    400,
    "QUERY_TIMEOUT",
    "Your query request was running for too long.",
  ),
  "salesforce.operation_too_large": buildSalesforceFault(
    400,
    "OPERATION_TOO_LARGE",
    "exceeded 100000 distinct who/what's",
  ),
  "salesforce.bad_locator": buildSalesforceFault(
    400,
    "INVALID_QUERY_LOCATOR",
    "invalid query locator (QUERY_LOCATOR_EXPIRED)",
  ),
  "salesforce.unknown": buildSalesforceFault(500, "UNKNOWN_EXCEPTION", "An unexpected error occurred."),
  "salesforce.api_disabled": buildSalesforceFault(
    403,
    "API_DISABLED_FOR_ORG",
    "API is not enabled for this Organization.",
  ),
  "salesforce.forbidden": buildSalesforceFault(
    403,
    "INSUFFICIENT_ACCESS_OR_READONLY",
    "insufficient access rights on object id",
  ),
  "salesforce.validation_rule": buildSalesforceFault(
    400,
    "FIELD_CUSTOM_VALIDATION_EXCEPTION",
    "A validation rule of this organisation refused the record.",
  ),
  "salesforce.invalid_grant": {
    provider: "salesforce",
    path: "/services/oauth2/token",
    status: 400,
    body: { error: "invalid_grant", error_description: "expired access/refresh token" },
  },
  "salesforce.login_rate": {
    provider: "salesforce",
    path: "/services/oauth2/token",
    status: 400,
    body: { error: "invalid_grant", error_description: "login rate exceeded" },
  },
};
