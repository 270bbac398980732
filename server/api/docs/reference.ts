/** The introduction and the groups of the API reference. */

/** Version of the API, not of the package: it changes with the API's contract. */
export const API_VERSION = "1.0.0";

export const INTRODUCTION = `
Declare integrations in an \`amp.yaml\`, let customers connect their accounts, write records to them, call the provider
through the proxy, and look up every operation.

## Addresses

| Surface | Address |
|---|---|
| management | \`/v1\` |
| write | \`/write/v1\`, or \`/v1\` with the header \`X-Amp-Request-Type: write\` or on the host \`BUSBAR_WRITE_HOST\` |
| read | \`/read/v1\`, likewise with \`read\` and \`BUSBAR_READ_HOST\` |
| search | \`/search/v1\`, likewise with \`search\` and \`BUSBAR_SEARCH_HOST\` |
| proxy | a separate listener, by default on port 4001 |

Projects and integrations can be named by id or by name. Object names may contain slashes.

## Credentials

A server sends an API key of the project in \`X-Api-Key\`. A browser sends a key with the scope \`frontend\`, or better a
token that your server signed for one customer, as \`Authorization: Bearer\`. A person sends their own token. Each
operation lists its callers. A project of another organisation is refused with 403, an unknown one with 404.

## Requests and answers

Bodies are JSON, at most 10 MB. Times are RFC 3339 in UTC. Members without a value are absent, not \`null\`. Lists are
complete arrays unless they are described as paged. A partial update has an \`updateMask\`: paths with dots; a dot in a
name is written as \`\\.\`. Members that the mask does not list stay unchanged. Query parameters and members
of a body that an operation does not have are refused with 400, except where a schema allows additional properties, beside
an \`updateMask\`, and in the query of operations that need no credential.

Every answer has the header \`X-Request-Id\`, which finds the request in the log. Every error is a Problem (RFC 9457):
\`detail\` says what happened and what to do, \`issues\` has one entry per fault with its place, \`retryable\` says whether
the same request may succeed later. The problem types are listed at [/docs/problems](/docs/problems).

## Writing and the proxy

Writing takes records under your own names and handles mapping, defaults, withheld fields, tokens, retries and logs. The
proxy only adds the customer's credentials: your own client can use every path and method of the provider's API, with the
proxy as base URL and the headers \`X-Api-Key\`, \`X-Amp-Proxy-Version: 1\`, \`X-Amp-Project-Id\`, and
\`X-Amp-Integration-Name\` with \`X-Amp-Group-Ref\` (or \`X-Amp-Installation-Id\`). Responses are the provider's; Busbar's
own errors have the header \`X-Amp-Error: true\`. The proxy has no operations of its own, so it is not part of this list.
`.trim();

/** Groups in the order of the reference. */
export const TAGS: Record<string, string> = {
  Write: "Create, update and delete records in customers' accounts.",
  Read: "Reads on request, pauses of scheduled reads, messages that are held.",
  Subscribe:
    "Changes of records in customers' accounts: subscriptions, their events, and the addresses for providers.",
  Search: "Search for records of a customer's account.",
  Operations: "Actions in customers' accounts, with logs.",
  Integrations: "Integrations declared in manifests, with revisions.",
  Uploads: "Manifests as zip files.",
  Installations: "Integrations installed for customers, with their configurations.",
  Connections: "Customers' accounts at providers, with credentials.",
  OAuth: "OAuth and other sign-in flows of customers at providers.",
  "Provider apps": "Your OAuth clients at providers.",
  Providers: "The catalog of providers.",
  "Objects & fields": "Objects and fields of a customer's account, and custom fields.",
  Customers: "Groups and consumers. Connecting creates them if they do not exist.",
  Destinations: "Receivers of events.",
  Topics: "Routing of events: event type → topic → destination.",
  Events: "Events that were recorded, and where each went.",
  Deliveries: "Deliveries of events, to look up and to resend.",
  Webhooks: "Messages to your server, one per event, signed according to Standard Webhooks.",
  Agents: "What agents may do with customers' accounts, and the acts that wait for a decision.",
  Projects: "Your applications.",
  "API keys": "Keys of a project.",
  "JWT keys": "Public keys that verify customers' tokens.",
  Organisations: "Organisations, their people and invitations.",
  People: "Signed-in people and their sessions.",
  Health: "Health checks for load balancers and supervisors.",
  Documentation: "This documentation.",
};
