/** API keys: shape, limits and endpoints. */
import { type Static, Type } from "typebox";
import { isNetwork, openNetworks } from "../../../ground/client-address.ts";
import { nowMs } from "../../../ground/clock.ts";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { newApiKey } from "../../../ground/ids.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { type Caller, projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import {
  type ApiKeyRow,
  findApiKey,
  insertApiKey,
  listApiKeys as listRows,
  lockFullKeys,
  removeApiKey,
  updateApiKey as updateRow,
} from "../../store/access/api-keys.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { revokeInvitesOfKey } from "../../store/access/people.ts";
import { removeSessionsOfKey } from "../../store/access/sessions.ts";
import { showAuthor } from "../created-by.ts";
import { ProjectId, CreateTime, toTimes, UpdateTime } from "../members.ts";
import { PROJECT } from "../paths.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";

export const listApiKeyRoutes = (deps: { database: Database }): Route[] => [
  route(`GET ${PROJECT}/api-keys`, "full", listApiKeys(deps)),
  route(`POST ${PROJECT}/api-keys`, "organization", createApiKey(deps)),
  route(`GET ${PROJECT}/api-keys/{apiKey}`, "full", getApiKey(deps)),
  route(`PATCH ${PROJECT}/api-keys/{apiKey}`, "full", updateApiKey(deps)),
  route(`DELETE ${PROJECT}/api-keys/{apiKey}`, "full", deleteApiKey(deps)),
];

const ScopesSchema = Type.Array(Type.Enum(["full", "frontend", "write", "read", "proxy", "read-only"]), {
  minItems: 1,
});

const RateLimitSchema = Type.Object(
  {
    requestsPerSecond: Type.Number({
      minimum: 0.01,
      maximum: 100_000,
      description: "Requests per second on average, in each process of this Busbar.",
    }),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: "Requests at once after a pause. Default: those of one second.",
      }),
    ),
  },
  { title: "ApiKeyRateLimit", description: "How often a key may be used." },
);

const DEPLOYS = "Whether an agent that uses the key may deploy a manifest without anybody's decision.";

const ApiKeySchema = Type.Object(
  {
    id: Type.String({ description: "The key itself." }),
    key: Type.String({
      description: "The complete key on creation; later only its beginning, for example `bb_AbCd…`.",
    }),
    label: Type.String({ description: "Name of the key." }),
    scopes: Type.Array(Type.String(), {
      description:
        "Scopes of the key: `full` for your server, `frontend` for browsers; `write`, `read` and `proxy` for these " +
        "calls alone, `read-only` to look at everything but secrets.",
    }),
    projectId: ProjectId,
    active: Type.Boolean({
      description: "Whether the key is active. Requests with an inactive key are refused.",
    }),
    signIn: Type.Optional(Type.Boolean({ description: "Whether a person can sign in with the key." })),
    expireTime: Type.Optional(describeTime("When the key expires. Absent: never.")),
    allowedAddresses: Type.Optional(
      Type.Array(Type.String(), { description: "Addresses and networks that may use the key. Absent: all." }),
    ),
    rateLimit: Type.Optional(described(RateLimitSchema, "Rate limit of the key. Absent: none.")),
    agentMayDeploy: Type.Optional(described(Type.Boolean(), `${DEPLOYS} Absent: it may not.`)),
    lastUsedTime: Type.Optional(
      describeTime("When the key was last used, accurate to about a minute. Absent: never."),
    ),
    createdBy: Type.Optional(
      Type.String({
        description: "Who created the key: `builder:<id>`, `apiKey:<id>` or `system`. Absent for old keys.",
      }),
    ),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "ApiKey", description: "An API key. The key itself is its id." },
);

/** Returns the end of a key. Throws a 400 Problem for one in the past. */
function requireFutureTime(expireTime: string, name: string): Date {
  const time = new Date(expireTime);
  if (time.getTime() > nowMs()) return time;
  throw toMemberProblem(name, "must be in the future", { value: expireTime });
}

const NameParams = Type.Object({
  apiKey: Type.String({
    description: "The complete key, its id, or its beginning if that is unique.",
  }),
});

const toApiKey = (row: ApiKeyRow, whole?: string): Static<typeof ApiKeySchema> => ({
  id: row.id,
  key: whole ?? row.hint,
  label: row.label,
  scopes: row.scopes,
  projectId: row.projectId,
  active: row.active,
  ...(row.builderId !== null && { signIn: true }),
  ...(row.expireTime && { expireTime: row.expireTime.toISOString() }),
  ...(row.allowedAddresses.length > 0 && { allowedAddresses: row.allowedAddresses }),
  ...(row.requestsPerSecond !== null && {
    rateLimit: { requestsPerSecond: row.requestsPerSecond, burst: row.burst ?? 1 },
  }),
  ...(row.agentMayDeploy && { agentMayDeploy: true }),
  ...(row.lastUsedTime && { lastUsedTime: row.lastUsedTime.toISOString() }),
  ...(row.createdBy !== null && { createdBy: row.createdBy }),
  ...toTimes(row),
});

/** Throws a 404 Problem. It does not repeat the given value, which may be a complete key. */
async function getApiKeyRow(queries: ControlQueries, projectId: string, named: string): Promise<ApiKeyRow> {
  const row = await findApiKey(queries, projectId, named);
  if (row) return row;
  throw new Problem("not-found", {
    detail: "This project has no such API key, or several with this beginning. Use the id of the key.",
  });
}

/** Throws a 409 Problem: without its last full key, a project could not be managed. */
async function requireAnotherFullKey(queries: ControlQueries, row: ApiKeyRow): Promise<void> {
  const others = (await lockFullKeys(queries, row.projectId)).filter(({ id }) => id !== row.id);
  if (others.length > 0 || !row.active || !row.scopes.includes("full") || row.expireTime) return;
  throw new Problem("conflict", {
    detail:
      "This is the project's last active API key with the scope `full` that does not expire. Create another one first.",
  });
}

const listApiKeys = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listApiKeys",
    tag: "API keys",
    summary: "List API keys",
    description: "Returns the beginning of each key. The complete key is shown on creation only.",
    query: Type.Object({
      active: Type.Optional(Type.Boolean({ description: "`true`: return active keys only. Default: all." })),
    }),
    hasEntityTag: true,
    success: {
      status: 200,
      description: "The API keys, shortened, oldest first.",
      schema: Type.Array(ApiKeySchema),
    },
    handle: async ({ project, query }) =>
      (await listRows(deps.database.control, project.id, query.active || undefined)).map((row) =>
        toApiKey(row),
      ),
  });

const getApiKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getApiKey",
    tag: "API keys",
    summary: "Get an API key",
    description: "By the key itself or by its id. The answer contains only the beginning of the key.",
    params: NameParams,
    success: { status: 200, description: "The API key, shortened.", schema: ApiKeySchema },
    handle: async ({ project, params }) =>
      toApiKey(await getApiKeyRow(deps.database.control, project.id, params.apiKey)),
  });

const createApiKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createApiKey",
    tag: "API keys",
    summary: "Create an API key",
    description:
      "Only this answer contains the complete key. The scope `full` (the default) is for servers and allows " +
      "everything in the project; `frontend` is for browsers. `write` allows writing records, `read` reading and " +
      "searching records, `proxy` proxied calls, and `read-only` everything that a `viewer` may see; a key may have " +
      "several of them. A key of another project of the organisation can create a project's first key only.",
    body: Type.Object({
      label: Type.String({ minLength: 1, maxLength: 255, description: "Name of the key." }),
      scopes: Type.Optional(described(ScopesSchema, "Scopes of the key. Default: `full`.")),
      expireTime: Type.Optional(describeTime("When the key expires. Default: never.")),
      allowedAddresses: Type.Optional(AllowedAddresses),
      rateLimit: Type.Optional(KeyRateLimit),
      agentMayDeploy: Type.Optional(described(Type.Boolean(), `${DEPLOYS} Default: false.`)),
      signIn: Type.Optional(
        Type.Boolean({
          description: "Allows signing in with the key (`POST /v1/sessions`). For signed-in people only.",
        }),
      ),
    }),
    refusals: {
      400: "`expireTime` is in the past, an address is none, or the request does not match this description.",
    },
    success: { status: 201, description: "The complete API key.", schema: ApiKeySchema },
    async handle({ project, caller, body }) {
      const { label, scopes = ["full"], agentMayDeploy = false } = body;
      const expireTime =
        body.expireTime === undefined ? undefined : requireFutureTime(body.expireTime, "expireTime");
      const limits = limitColumns(body);
      const builderId = body.signIn ? findPersonWhoSigns(caller) : undefined;
      const key = newApiKey();
      const row = await transactControl(deps.database, async (queries) => {
        // A key of another project creates the first key only; otherwise it would open all projects permanently.
        if (caller.projectId !== project.id && (await listRows(queries, project.id)).length > 0) {
          throw new Problem("forbidden", {
            detail: `The project \`${project.name}\` has API keys. Create further ones with a key of its own.`,
          });
        }
        return insertApiKey(queries, {
          key,
          projectId: project.id,
          label,
          scopes: [...new Set(scopes)],
          builderId,
          expireTime,
          createdBy: showAuthor(caller),
          agentMayDeploy,
          ...limits,
        });
      });
      return toApiKey(row, key);
    },
  });

/** Throws a 403 Problem unless a signed-in person calls: an API key must not gain rights by creating a sign-in key. */
function findPersonWhoSigns({ builderId }: Caller): string {
  if (builderId !== undefined) return builderId;
  throw new Problem("forbidden", {
    detail:
      "`signIn` is for signed-in people; an API key does not represent a person. Sign in with POST /v1/sessions first.",
  });
}

const MEMBERS = [
  "label",
  "active",
  "scopes",
  "expireTime",
  "allowedAddresses",
  "rateLimit",
  "agentMayDeploy",
] as const;

const updateApiKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "updateApiKey",
    tag: "API keys",
    summary: "Update an API key",
    description:
      `\`updateMask\` may list ${MEMBERS.join(", ")}. An inactive key is rejected from the ` +
      "next request on, in all processes. The last active `full` key cannot be deactivated.",
    params: NameParams,
    body: Type.Object({
      updateMask: UpdateMask,
      apiKey: Type.Object(
        {
          label: Type.Optional(
            Type.String({ minLength: 1, maxLength: 255, description: "Name of the key." }),
          ),
          active: Type.Optional(
            Type.Boolean({ description: "Set to false to deactivate the key immediately." }),
          ),
          scopes: Type.Optional(described(ScopesSchema, "Scopes of the key.")),
          expireTime: Type.Optional(
            Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
              description: "When the key expires; null: never.",
            }),
          ),
          allowedAddresses: Type.Optional(AllowedAddresses),
          rateLimit: Type.Optional(
            Type.Union([RateLimitSchema, Type.Null()], {
              description: "Beyond it requests are refused with 429; null: no limit.",
            }),
          ),
          agentMayDeploy: Type.Optional(described(Type.Boolean(), DEPLOYS)),
        },
        { description: "New values of the members listed in `updateMask`." },
      ),
    }),
    success: { status: 200, description: "The updated API key.", schema: ApiKeySchema },
    refusals: {
      409:
        "The key is the project's last active one with the scope `full`, or it would exclude the address of this request, " +
        "which uses it.",
      422: "`updateMask` lists a member that the body does not have.",
    },
    async handle({ project, caller, remoteAddress, params, body }) {
      const {
        expireTime: end,
        allowedAddresses,
        rateLimit,
        ...picked
      } = pickMasked(body.updateMask, body.apiKey, MEMBERS, "apiKey", "semantically-invalid");
      const expireTime = typeof end === "string" ? requireFutureTime(end, "apiKey.expireTime") : end;
      const limits = limitColumns({ allowedAddresses, rateLimit }, "apiKey.");
      const change = { ...picked, ...limits, ...(expireTime !== undefined && { expireTime }) };
      return transactControl(deps.database, async (queries) => {
        const row = await getApiKeyRow(queries, project.id, params.apiKey);
        if (caller.apiKeyId === row.id) requireOwnAddress(change.allowedAddresses ?? [], remoteAddress);
        const { active = row.active, scopes = row.scopes } = change;
        if (expireTime) await requireAnotherFullKey(queries, row);
        if (!active || !scopes.some((scope) => scope === "full")) {
          await requireAnotherFullKey(queries, row);
          await removeSessionsOfKey(queries, row.id);
          await revokeInvitesOfKey(queries, row.id);
        }
        return toApiKey(await updateRow(queries, project.id, row.id, change));
      });
    },
  });

const deleteApiKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteApiKey",
    tag: "API keys",
    summary: "Delete an API key",
    description: "Refused with 409 for the project's last active key with the scope `full`.",
    params: NameParams,
    success: { status: 204, description: "Deleted. Requests with the key are refused." },
    refusals: { 409: "The key is the project's last active one with the scope `full`." },
    async handle({ project, params }) {
      await transactControl(deps.database, async (queries) => {
        const row = await getApiKeyRow(queries, project.id, params.apiKey);
        await requireAnotherFullKey(queries, row);
        await revokeInvitesOfKey(queries, row.id);
        await removeApiKey(queries, project.id, row.id);
      });
    },
  });

const AllowedAddresses = Type.Array(Type.String({ maxLength: 50 }), {
  maxItems: 100,
  description:
    "IPv4 and IPv6 addresses and networks (`192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`) that may use the key. Behind a " +
    "reverse proxy, the operator has to list that as trusted. Empty: all.",
});

const KeyRateLimit = described(
  RateLimitSchema,
  "Beyond the limit requests are refused with 429 and `Retry-After`. Each process counts its own requests.",
);

type LimitColumns = Partial<Pick<ApiKeyRow, "allowedAddresses" | "requestsPerSecond" | "burst">>;

interface AskedLimits {
  allowedAddresses?: string[];
  rateLimit?: Static<typeof RateLimitSchema> | null;
}

/** Returns the columns of the limits that a request sets. Throws a 400 Problem for a text that is no network. */
function limitColumns({ allowedAddresses, rateLimit }: AskedLimits, prefix = ""): LimitColumns {
  allowedAddresses?.forEach((text, index) => {
    if (!isNetwork(text)) throw refuseNetwork(`${prefix}allowedAddresses[${index}]`, text);
  });
  const { requestsPerSecond = null, burst } = rateLimit ?? {};
  return {
    ...(allowedAddresses && { allowedAddresses }),
    ...(rateLimit !== undefined && {
      requestsPerSecond,
      burst: requestsPerSecond === null ? null : (burst ?? Math.max(1, Math.ceil(requestsPerSecond))),
    }),
  };
}

/** Throws a 409 Problem if the list excludes the address that sets it for its own key, and so locks it out. */
function requireOwnAddress(allowedAddresses: string[], address: string): void {
  if (allowedAddresses.length === 0 || openNetworks(allowedAddresses)(address)) return;
  throw new Problem("conflict", {
    detail:
      `\`allowedAddresses\` excludes ${address}, the address of this request, which uses the same key. Add the address, or ` +
      "change the key with another one.",
  });
}

function refuseNetwork(name: string, value: string): Problem {
  const detail =
    "must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8 or 2001:db8::/32; IPv4 not in its IPv6 form";
  return toMemberProblem(name, detail, { value });
}
