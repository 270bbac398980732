/** The reason for each difference from the public API. A line that matches no difference fails `npm run parity`. */
import type { Explanation } from "./explain.ts";
import { ADDITIONS } from "./explained-additions.ts";

const OPERATIONS: Explanation[] = [
  {
    lines: [
      "PUT /v1/uploads/{} | operation | ours only",
      "GET /v1/event-files/{} | operation | ours only",
      "GET /callbacks/v1/* | operation | ours only",
      "POST /callbacks/v1/* | operation | ours only",
    ],
    why: "URLs that the service hands out; the public service has them elsewhere or does not describe them",
  },
  {
    lines: [
      "DELETE /v1/projects/{} | operation | ours only",
      "POST /v1/projects/{}/groups | operation | ours only",
      "POST /v1/projects/{}/consumers | operation | ours only",
      "GET /write/v1/generate-upload-url | operation | ours only",
      "GET /read/v1/generate-upload-url | operation | ours only",
    ],
    why: "No longer described publicly, but clients in use still call them",
  },
  {
    lines: [
      "* /v1/sessions* | operation | ours only",
      "GET /v1/sign-in-ways | operation | ours only",
      "DELETE /v1/orgs/{}/claimed-domains/{} | operation | ours only",
      "*signIn | ours only",
    ],
    why: "A self-hosted service needs its own sign-in; a claimed domain can be released",
  },
  {
    lines: [
      "*/destinations/{}:test | operation | ours only",
      "*/destinations/{}:rotate | operation | ours only",
      "*deliveries* | operation | ours only",
      "*/proxy-calls | operation | ours only",
      "*/consents | operation | ours only",
      "*/events* | operation | ours only",
      "*/find | operation | ours only",
      "*/requests | operation | ours only",
      "GET /v1/projects/{}/operations | operation | ours only",
      "*/operations/{}:cancel | operation | ours only",
      "*/activity | operation | ours only",
      "*:search | operation | ours only",
      "*/connections/{}:check | operation | ours only",
      "*/installations/{}:call | operation | ours only",
    ],
    why: "Looking up what happened, checking, cancelling and resending: pages of the dashboard in the public service",
  },
  {
    lines: [
      "GET /v1/projects/{}/topics/{} | operation | ours only",
      "GET /v1/projects/{}/provider-apps/{} | operation | ours only",
    ],
    why: "Every resource that can be listed can also be fetched",
  },
  {
    lines: [
      "* /v1/projects/{}/groups | operation | ours only",
      "* /v1/projects/{}/groups/{} | operation | ours only",
      "*/retention | operation | ours only",
    ],
    why: "Customers are listed, exported and erased; each project chooses how long history is kept",
  },
  {
    lines: ["* /subscribe/v1/* | operation | ours only", "*/subscri* | operation | ours only"],
    why: "Addresses for the events of providers, and what became of subscriptions",
  },
  {
    lines: [
      "* /v1/projects/{}/providers | operation | ours only",
      "* /v1/projects/{}/providers/{} | operation | ours only",
      "* | body providers | ours only",
      "GET /v1/providers | query declared | ours only",
    ],
    why: "Providers of the builder's own",
  },
  {
    lines: ["GET /v1/projects/{}/integrations/{}/revisions* | operation | ours only"],
    why: "Earlier revisions can be looked at and deployed again",
  },
  {
    lines: [
      "GET /v1/orgs/{}/audit-events | operation | ours only",
      "* /v1/orgs/{}/memberships/{} | operation | ours only",
      "*role | ours only",
      "* | answer 200 orgRoles | ours only",
    ],
    why: "People have roles that can be changed, and the audit says who did what",
  },
  {
    lines: [
      "GET /v1/system | operation | ours only",
      "GET /v1/destination-types | operation | ours only",
      "GET /v1/event-types | operation | ours only",
    ],
    why: "What a dashboard has to know of the server",
  },
  {
    lines: ["GET /healthz | *", "GET /readyz | *", "GET /openapi.json | *", "GET / | *", "GET /docs* | *"],
    why: "Health checks and API reference of a self-hosted service",
  },
];

const REFUSALS: Explanation[] = [
  {
    lines: ["* | status 4?? | ours only", "* | status 5?? | ours only", "* | status default | ours only"],
    why: "Each error status of an operation is listed instead of `default`; clients that handle `default` need no change",
  },
  {
    lines: ["* | status 422 | missing"],
    why: "The operation has no case for 422: it answers 400 or 404",
  },
  {
    lines: [
      "refusals | body | application/json is application/problem+json here",
      "refusals | body | text/plain is application/problem+json, application/json here",
      "refusals | body | string is object here",
    ],
    why: "Every error is an RFC 9457 Problem; the write API answers plain JSON to clients that accept only that",
  },
  {
    lines: ["refusals | body issues | ours only", "refusals | body issues[].* | not named by ours"],
    why: "Every error may list `issues`; members that all issues share are in the Problem itself",
  },
  {
    lines: [
      "refusals | body success | ours only",
      "refusals | body fields | ours only",
      "refusals | body validationIssues | ours only",
    ],
    why: "An error says what was done nevertheless, also in the members that older clients read",
  },
  {
    lines: ["refusals | body * | ours only", "refusals | body operationId | not always there"],
    why: "A refused write is Problem and write result in one; without `operationId` if it was refused before an operation began",
  },
];

const DESTINATIONS: Explanation[] = [
  {
    lines: [
      "*metadata.* | not named by ours",
      "* body secrets.* | not named by ours",
      "* body destination.secrets.* | not named by ours",
    ],
    why: "Destination types that are not implemented yet; they are answered with 501",
  },
  {
    lines: ["*metadata.file | ours only", "*metadata.endpointUrl | ours only"],
    why: "The destination type `log`, and services compatible with an AWS protocol",
  },
  {
    lines: ["*/destinations* | answer 20? *disabled* | ours only"],
    why: "A disabled destination shows that it is disabled",
  },
  {
    lines: ["POST /v1/projects/{}/destinations | body secrets | object is null or object here"],
    why: "Clients send null for destination types without secrets",
  },
];

const SENT: Explanation[] = [
  {
    lines: [
      "* | body updateMask[] | any text, not only *",
      "* | body type | any text, not only *",
      "* | body eventType | any text, not only *",
    ],
    why: "Checked by code instead of the schema; the error lists the allowed values",
  },
  {
    lines: [
      "* | body *scopes[] | only frontend, full, proxy, read, read-only, write",
      "* | body parentType | only org",
      "* | body fields{}[].valueType | only *",
      "* | body *metadata.storageClass | only *",
    ],
    why: "The schema lists the values; the public description names them in prose",
  },
  {
    lines: [
      "POST /v1/orgs/{}/invites | body | required here",
      "POST /v1/projects/{}/connections:generate | body* | required here",
      "POST /write/* | body headers[].* | required here",
      "* | body *ilters[].value | required here",
    ],
    why: "The request is useless without this member",
  },
  {
    lines: [
      "* | body *onfig.content.* | optional here",
      "POST /v1/projects/{}/integrations | body * | optional here",
    ],
    why: "Optional here, because the manifest supplies it or its absence is meaningful; further rules check what is needed",
  },
  {
    lines: [
      "POST /v1/oauth-connect | body project*",
      "POST /v1/projects/{}/jwt-keys | body name | ours only",
      "POST /v1/projects/{}/jwt-keys | body label | optional here",
      "PATCH /v1/projects/{}/jwt-keys/{} | body jwtKey.name | named by ours only",
      "PATCH /v1/projects/{}/destinations/{} | body destination.type | ours only",
    ],
    why: "Members that older clients still send are accepted beside their replacements",
  },
  {
    lines: ["PATCH /v1/projects/{}/connections/{} | body connection.* | missing"],
    why: "The owner of a connection cannot change, so these members are ignored",
  },
  {
    lines: [
      "* | query dryRun | ours only",
      "* | header idempotency-key | ours only",
      "* | body retryPolicy.onUnknownOutcome | ours only",
      "POST /write/* | answer 200 dryRun | ours only",
      "POST /write/* | answer 200 requests | ours only",
      "POST /write/* | answer 200 records | ours only",
      "POST /write/* | answer 200 readFirst | ours only",
      "POST /write/* | answer 200 operationId | not always there",
      "*dropUnmappedFields | ours only",
    ],
    why: "Additions: dry run, idempotency keys, projects that drop unmapped fields",
  },
  {
    lines: [
      "*expireTime | ours only",
      "*allowedAddresses | ours only",
      "*rateLimit | ours only",
      "*/api-keys* | answer 20? *createdBy | ours only",
    ],
    why: "API keys with an end, addresses and a rate limit",
  },
  {
    lines: ["*/topics* | * *eventTypes | ours only", "*/topics* | * *destinationIds | ours only"],
    why: "A topic can be written with its routes by one call",
  },
  {
    lines: ["PATCH /v1/projects/{}/topics/{} | body name | optional here"],
    why: "A change of the routes alone needs no name",
  },
  {
    lines: ["*production | ours only"],
    why: "A project can be marked as production, so that the dashboard asks before it changes anything",
  },
  {
    lines: [
      "POST /write/* | body type | also upsert",
      "POST /write/* | body key | ours only",
      "POST /write/* | answer 200 *created | ours only",
    ],
    why: "Upserts",
  },
  {
    lines: ["* | query md5 | ours only"],
    why: "Published clients send it, although it is not described",
  },
  {
    lines: ["POST /write/* | body *ssociations[].* | named by ours only"],
    why: "The schema names the members of an association",
  },
];

const ANSWERED: Explanation[] = [
  {
    lines: [
      "*allFieldsMetadata{}.description | ours only",
      "*metadata | answer 200 fields{}.description | ours only",
    ],
    why: "The provider's explanation of a field, which the schema watch compares",
  },
  {
    lines: ["GET /v1/providers* | answer 200 * | ours only"],
    why: "The catalog has more members than the public one, and keeps a retired member that a client needs",
  },
  {
    lines: ["*config.content.write.objects{}.inheritMapping | ours only"],
    why: "In the specification, but missing in the public description of configurations",
  },
  {
    lines: ["*.fieldFilters[].value | anything is boolean or number or string here"],
    why: "The schema states what the public description says in prose",
  },
  {
    lines: ["*.updateEvent.watchFieldsAuto | also selected"],
    why: "The public manifest accepts it, so a configuration does",
  },
  {
    lines: ["*config.content.read.objects{}.dynamicMappingsInput[]* | not always there"],
    why: "Returned as the client sent it",
  },
  {
    lines: [
      "*latestRevision.content.* | not always there",
      "*:hydrate | answer 200 content.read.objects[].backfill.defaultPeriod | not always there",
    ],
    why: "Manifests have one schema for requests and answers; schedules and destinations of read objects are always returned, the rest as deployed",
  },
  {
    lines: ["*:hydrate | answer 200 content.read.objects[].allFields[].* | missing"],
    why: "A field of the account is not a mapping, so it has no members of one",
  },
  {
    lines: [
      "* | answer 200 *status | only failure, in_progress, success",
      "* | answer 200 *parentType | only org",
      "* | answer 20? *metadata.storageClass | only *",
      "* | answer 200 fields{}{}.action | only create, none, update",
    ],
    why: "The schema lists the possible values",
  },
  {
    lines: ["* | answer 200 *metadata.retry.lastNotified | missing"],
    why: "A retry sends no notification of its own",
  },
  {
    lines: [
      "* | * *read.objects*.associatedObjects | ours only",
      "* | * *read.objects*.deletedRecords | ours only",
      "* | * *objects*.ownWrites | ours only",
      "POST /search/* | answer 200 result[].associations | ours only",
    ],
    why: "Associations and deletions are read on request",
  },
  {
    lines: [
      "*installations* | answer 20? *readPauses | ours only",
      "*/config-content | answer 200 readPauses | ours only",
      "* | answer 200 *metadata.read | ours only",
    ],
    why: "What is paused, and what a read has done",
  },
  {
    lines: ["POST /read/*objects/{} | status 200 | ours only"],
    why: "A dry run of a read begins nothing",
  },
  {
    lines: ["POST /search/* | answer 200 truncated | ours only"],
    why: "Tells that the provider has more records that match",
  },
  {
    lines: [
      "*operations* | answer 200 *resource | ours only",
      "*operations* | answer 200 *updateTime | ours only",
      "POST /search/* | answer 200 results | ours only",
      "POST /search/* | answer 200 result[].id | ours only",
    ],
    why: "In the specification or the public guide, but missing in the public description",
  },
  {
    lines: ["*/api-keys* | answer 20? *id | ours only", "*/api-keys* | answer 20? *Time | ours only"],
    why: "Keys are stored as hashes, so they have an id; the key itself is accepted too",
  },
  {
    lines: ["PUT /v1/projects/{}/integrations:batch | answer 200 [].warnings | ours only"],
    why: "Warnings about a manifest that was accepted",
  },
  {
    lines: [
      "PUT /v1/projects/{}/integrations:batch | answer 200 [].* | not always there",
      "PUT /v1/projects/{}/integrations:batch | answer 200 [].change* | ours only",
    ],
    why: "A dry run answers what would change; an integration that does not exist yet has no id",
  },
  {
    lines: ["* | header if-none-match | ours only", "* | status 304 | ours only"],
    why: "Lists can be asked whether they have changed",
  },
  {
    lines: [
      "* | answer 20? *nstallationCount | ours only",
      "*latestRevision.number | ours only",
      "*latestRevision.createdBy | ours only",
      "*operations* | answer 200 *integrationName | ours only",
      "*operations* | answer 200 *groupRef | ours only",
      "*operations* | answer 200 *groupName | ours only",
      "*operations* | answer 200 *failedRecordIds | ours only",
      "*operations* | answer 200 *requestId | ours only",
      "*/destinations* | answer 20? *health | ours only",
      "*/destinations* | * *ownWrites | ours only",
    ],
    why: "Members that save a client further calls",
  },
  {
    lines: ["*/object-metadata | answer 200 fields{}{}.error | ours only"],
    why: "Why a single field was not created; in errors only",
  },
];

export const EXPLANATIONS: Explanation[] = [
  ...OPERATIONS,
  ...REFUSALS,
  ...DESTINATIONS,
  ...SENT,
  ...ANSWERED,
  ...ADDITIONS,
];
