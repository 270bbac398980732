/** What the API reference says beside the routes: the introduction and the groups. */

/** The version of the API, not of the package: it moves when the contract does. */
export const API_VERSION = "1.0.0";

export const INTRODUCTION = `
Declare integrations in an \`amp.yaml\`, let customers connect their accounts, write records to them, pass calls
through to the provider, and look up what became of everything.

## Addresses

| What | Where |
|---|---|
| management | \`/v1\` |
| write | \`/write/v1\`, or \`/v1\` with the header \`X-Amp-Request-Type: write\` or at the host \`BUSBAR_WRITE_HOST\` |
| read | \`/read/v1\`, likewise with \`read\` and \`BUSBAR_READ_HOST\` |
| search | \`/search/v1\`, likewise with \`search\` and \`BUSBAR_SEARCH_HOST\` |
| proxy | a listener of its own, port 4001 unless configured otherwise |

A project is named by its id or its name, an integration too. Object names may hold slashes.

## Credentials

A server sends a key of the project in \`X-Api-Key\`. A browser sends a key with the scope \`frontend\`, or better a token
that your server signed for one customer, as \`Authorization: Bearer\`. A person sends their own token. Each operation
says who may call it; a project of somebody else is refused with 403, one that does not exist with 404.

## Requests and answers

Bodies are JSON, 10 MB at most. Times are RFC 3339 in UTC. A member that has no value is left out rather than \`null\`.
Lists are whole arrays unless they say that they come in pages. A partial update has an \`updateMask\`: paths with dots,
a dot inside a name written as \`\\.\`; what the mask does not name stays as it is. Members that are not described here
are ignored in requests.

Every answer has \`X-Request-Id\`, under which the log has it. Every refusal is a Problem (RFC 9457): \`detail\` says what
happened and what to do, \`issues\` has one entry per fault with its place, \`retryable\` says whether the same request may
succeed later. The problem types are at [/docs/problems](/docs/problems).

## Writing and the proxy

Writing takes records under your own names and does the rest: mapping, defaults, withheld fields, tokens, retries, a
log of each step. The proxy does nothing but put the customer's credentials on: every path and method of the provider's
own API is open to your own client once its base URL is the proxy's and each call carries \`X-Api-Key\`,
\`X-Amp-Proxy-Version: 1\`, \`X-Amp-Project-Id\`, and \`X-Amp-Integration-Name\` with \`X-Amp-Group-Ref\` (or
\`X-Amp-Installation-Id\`). Its answers are the provider's; one of Busbar's own has \`X-Amp-Error: true\`. Since it has no
operations of its own, it is not among those below.
`.trim();

/** In the order in which they are shown. */
export const TAGS: Record<string, string> = {
  Write: "Create, update and delete records in customers' accounts.",
  Read: "Reading on request and on a schedule. Not built yet: every operation says so with 501.",
  Search: "Finding records. Not built yet: it says so with 501.",
  Operations: "What was done in customers' accounts, each with its log.",
  Integrations: "What a manifest declares, one per provider, in revisions.",
  Uploads: "Manifests as zip files.",
  Installations: "Integrations switched on for customers, with their configurations.",
  Connections: "Customers' accounts at providers, and the credentials to use them.",
  OAuth: "Signing customers in at providers.",
  "Provider apps": "Your OAuth clients at providers.",
  Providers: "The catalog.",
  "Objects & fields": "What a customer's account has, and custom fields for it.",
  Customers: "Groups and the people in them. Both come into being by themselves with a connection.",
  Destinations: "Where events are sent to.",
  Topics: "Which events go where: event type → topic → destination.",
  Deliveries: "Events on their way, to look up and to send again.",
  Webhooks:
    "What is sent to your server, one message per event; signed, and verified by any Standard Webhooks library.",
  Projects: "Your applications.",
  "API keys": "Keys of a project.",
  "JWT keys": "Public keys with which customers' tokens are checked.",
  Organisations: "Who owns projects, and who works on them.",
  People: "Who is signed in.",
  Health: "For load balancers and supervisors.",
  Documentation: "This reference.",
};
