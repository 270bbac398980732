/** PATCH /v1/projects/{projectIdOrName}/api-keys/{apiKey} */
import { Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { updateApiKey as updateRow } from "../../store/api-keys.ts";
import { type Database, transact } from "../../store/database.ts";
import { revokeInvitesOfKey } from "../../store/people.ts";
import { removeSessionsOfKey } from "../../store/sessions.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";
import {
  ApiKeySchema,
  futureTime,
  getApiKeyRow,
  NameParams,
  RateLimitSchema,
  requireAnotherFullKey,
  ScopesSchema,
  toApiKey,
} from "./api-key.ts";
import { AllowedAddresses, limitColumns, requireOwnAddress } from "./limits-of-key.ts";

const MEMBERS = ["label", "active", "scopes", "expireTime", "allowedAddresses", "rateLimit"] as const;

export const updateApiKey = (deps: { database: Database }) =>
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
      const expireTime = typeof end === "string" ? futureTime(end, "apiKey.expireTime") : end;
      const limits = limitColumns({ allowedAddresses, rateLimit }, "apiKey.");
      const change = { ...picked, ...limits, ...(expireTime !== undefined && { expireTime }) };
      return transact(deps.database, async (queries) => {
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
