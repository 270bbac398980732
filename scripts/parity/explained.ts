/** Why our API differs from the public one, where it does. Lines that no longer fit anything fail `npm run parity`. */
import type { Explanation } from "./explain.ts";

const OPERATIONS: Explanation[] = [
  {
    lines: [
      "PUT /v1/uploads/{} | operation | ours only",
      "GET /v1/event-files/{} | operation | ours only",
      "GET /callbacks/v1/* | operation | ours only",
      "POST /callbacks/v1/* | operation | ours only",
    ],
    why: "Addresses that the service gives out, and that live elsewhere or are not described publicly",
  },
  {
    lines: [
      "DELETE /v1/projects/{} | operation | ours only",
      "POST /v1/projects/{}/groups | operation | ours only",
      "POST /v1/projects/{}/consumers | operation | ours only",
      "GET /write/v1/generate-upload-url | operation | ours only",
      "GET /read/v1/generate-upload-url | operation | ours only",
    ],
    why: "No longer described publicly, but clients that are still in use call them",
  },
  {
    lines: [
      "POST /v1/sessions | operation | ours only",
      "DELETE /v1/sessions/current | operation | ours only",
      "DELETE /v1/orgs/{}/claimed-domains/{} | operation | ours only",
      "*signIn | ours only",
    ],
    why: "Signing in is the service's own, since there is no vendor to sign in at, and a claimed domain can be given up",
  },
  {
    lines: [
      "*/destinations/{}:test | operation | ours only",
      "*deliveries* | operation | ours only",
      "*/proxy-calls | operation | ours only",
    ],
    why: "Looking events and proxied calls up, and sending again: elsewhere these are pages of a dashboard",
  },
  {
    lines: [
      "GET /v1/projects/{}/topics/{} | operation | ours only",
      "GET /v1/projects/{}/provider-apps/{} | operation | ours only",
    ],
    why: "What can be listed can be shown",
  },
  {
    lines: ["GET /healthz | *", "GET /readyz | *", "GET /openapi.json | *", "GET / | *", "GET /docs* | *"],
    why: "A service of one's own has to be watched and looked up",
  },
];

const REFUSALS: Explanation[] = [
  {
    lines: ["* | status 4?? | ours only", "* | status 5?? | ours only", "* | status default | ours only"],
    why: "Each status that an operation refuses with is listed, rather than left to `default`",
  },
  {
    lines: ["* | status 422 | missing"],
    why: "Nothing there could be understood and yet not be acceptable: what is wrong is a 400 or 404",
  },
  {
    lines: [
      "refusals | body | application/json is application/problem+json here",
      "refusals | body | text/plain is application/problem+json, application/json here",
      "refusals | body | string is object here",
    ],
    why: "Every refusal is a Problem with the media type of one; the write API gives plain JSON to whoever asks",
  },
  {
    lines: ["refusals | body issues | ours only", "refusals | body issues[].* | not named by ours"],
    why: "Every refusal may list its faults; what is the same for all of them stands once, in the Problem around them",
  },
  {
    lines: [
      "refusals | body success | ours only",
      "refusals | body fields | ours only",
      "refusals | body validationIssues | ours only",
    ],
    why: "A refusal says what was done all the same, and tells older clients in the members they know",
  },
  {
    lines: ["refusals | body * | ours only", "refusals | body operationId | not always there"],
    why: "A refused write is Problem and result in one; it has no operation where it was refused before one began",
  },
];

const DESTINATIONS: Explanation[] = [
  {
    lines: [
      "*metadata.* | not named by ours",
      "* body secrets.* | not named by ours",
      "* body destination.secrets.* | not named by ours",
    ],
    why: "Types of destinations that are not built yet; asked for one, the answer is 501",
  },
  {
    lines: ["*metadata.file | ours only", "*metadata.endpointUrl | ours only"],
    why: "The type `log`, and services that speak the protocol of an AWS one",
  },
  {
    lines: ["*/destinations* | answer 20? *disabled* | ours only"],
    why: "A destination says itself that nothing is sent to it any more",
  },
  {
    lines: ["POST /v1/projects/{}/destinations | body secrets | object is null or object here"],
    why: "Clients send null for a type without secrets",
  },
];

const SENT: Explanation[] = [
  {
    lines: [
      "* | body updateMask[] | any text, not only *",
      "* | body type | any text, not only *",
      "* | body eventType | any text, not only *",
    ],
    why: "Checked all the same, by the service rather than by the schema: the refusal names what there is",
  },
  {
    lines: [
      "* | body *scopes[] | only frontend, full",
      "* | body parentType | only org",
      "* | body fields{}[].valueType | only *",
      "* | body *metadata.storageClass | only *",
    ],
    why: "The values are listed that the public description names in words",
  },
  {
    lines: [
      "POST /v1/orgs/{}/invites | body | required here",
      "POST /v1/projects/{}/connections:generate | body* | required here",
      "POST /write/* | body headers[].* | required here",
      "* | body *ilters[].value | required here",
    ],
    why: "Without it the request means nothing",
  },
  {
    lines: [
      "* | body *onfig.content.* | optional here",
      "POST /v1/projects/{}/integrations | body * | optional here",
    ],
    why: "What the manifest supplies, or is nothing where it is left out, need not be sent; rules say what is needed",
  },
  {
    lines: [
      "POST /v1/oauth-connect | body project*",
      "POST /v1/projects/{}/jwt-keys | body name | ours only",
      "POST /v1/projects/{}/jwt-keys | body label | optional here",
      "PATCH /v1/projects/{}/jwt-keys/{} | body jwtKey.name | named by ours only",
      "PATCH /v1/projects/{}/destinations/{} | body destination.type | ours only",
    ],
    why: "Members that older clients still send are taken beside those that replaced them",
  },
  {
    lines: ["PATCH /v1/projects/{}/connections/{} | body connection.* | missing"],
    why: "Whose a connection is cannot change: no mask may name these, so they are ignored like any other member",
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
    why: "Writing can be tried without sending and repeated without writing twice; a project may drop unmapped fields",
  },
  {
    lines: ["* | query md5 | ours only"],
    why: "Published clients send it, although it is not described",
  },
  {
    lines: ["POST /write/* | body *ssociations[].* | named by ours only"],
    why: "The members of an association are named",
  },
];

const ANSWERED: Explanation[] = [
  {
    lines: ["GET /v1/providers* | answer 200 * | ours only"],
    why: "The catalog says what Busbar has to know beside the public one, and keeps a retired member that a client needs",
  },
  {
    lines: ["*config.content.write.objects{}.inheritMapping | ours only"],
    why: "The specification has it; the public description of configurations does not",
  },
  {
    lines: ["*.fieldFilters[].value | anything is boolean or number or string here"],
    why: "What the public description says in words",
  },
  {
    lines: ["*.updateEvent.watchFieldsAuto | also selected"],
    why: "The public manifest takes it, so a configuration does",
  },
  {
    lines: ["*config.content.read.objects{}.dynamicMappingsInput[]* | not always there"],
    why: "Shown as the customer's page sent it",
  },
  {
    lines: [
      "*latestRevision.content.* | not always there",
      "*:hydrate | answer 200 content.read.objects[].backfill.defaultPeriod | not always there",
    ],
    why: "One shape for manifests, sent and shown. Schedules and destinations of what is read are always shown; the rest is as deployed",
  },
  {
    lines: ["*:hydrate | answer 200 content.read.objects[].allFields[].* | missing"],
    why: "A field of the account is no mapping, so it has nothing of one",
  },
  {
    lines: [
      "* | answer 200 *status | only failure, in_progress, success",
      "* | answer 200 *parentType | only org",
      "* | answer 20? *metadata.storageClass | only *",
      "* | answer 200 fields{}{}.action | only create, none, update",
    ],
    why: "The values that there are, listed",
  },
  {
    lines: [
      "* | answer 200 *metadata.progress | missing",
      "* | answer 200 *metadata.retry.lastNotified | missing",
    ],
    why: "Of operations that read, which is not built yet",
  },
  {
    lines: [
      "*operations* | answer 200 *resource | ours only",
      "*operations* | answer 200 *updateTime | ours only",
      "POST /search/* | answer 200 results | ours only",
      "POST /search/* | answer 200 result[].id | ours only",
    ],
    why: "The specification, or the public guide, has it; the public description does not",
  },
  {
    lines: ["*/api-keys* | answer 20? *id | ours only", "*/api-keys* | answer 20? *Time | ours only"],
    why: "Keys are stored as digests: their id says which one is meant, as the key itself does",
  },
  {
    lines: ["PUT /v1/projects/{}/integrations:batch | answer 200 [].warnings | ours only"],
    why: "What is allowed in a manifest and yet worth a look is told",
  },
  {
    lines: ["*/object-metadata | answer 200 fields{}{}.error | ours only"],
    why: "Says of a single field why nothing was done; in refusals only",
  },
];

export const EXPLANATIONS: Explanation[] = [
  ...OPERATIONS,
  ...REFUSALS,
  ...DESTINATIONS,
  ...SENT,
  ...ANSWERED,
];
