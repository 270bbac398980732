/** PUT /v1/projects/{projectIdOrName}/providers/{provider}/object-metadata */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { ProviderName } from "../members.ts";
import { connectionOfGroup } from "./customer-account.ts";
import { RefusedUpsertSchema, UpsertAnswerSchema, UpsertRequestSchema } from "./field-definition.ts";
import { PROVIDER_REFUSALS } from "../../operations/provider-problem.ts";
import { upsertFields, type UpsertServices } from "./upsert-fields.ts";

/** Query of both metadata endpoints. */
export const UPSERT_DESCRIPTION = [
  "Creates missing fields and updates those that differ; repeating the request changes nothing.",
  "Options that the customer added themselves are kept.",
  "",
  "What the provider cannot hold is named in the field's `warnings`. Mistakes in definitions (400) and " +
    "fields that exist",
  "with another type (400) keep everything from being written. Where the provider refuses some definitions and not",
  "others, the answer is a Problem that carries `success: false` and the same `fields` as a success: what was done has",
  "its `action`, what failed an `error`.",
].join("\n");

export const upsertMetadataForConnection = (deps: UpsertServices) =>
  projectEndpoint({
    operationId: "upsertMetadataForConnection",
    tag: "Objects & fields",
    summary: "Upsert custom fields through a connection",
    description: UPSERT_DESCRIPTION,
    params: Type.Object({ provider: ProviderName }),
    body: UpsertRequestSchema,
    success: { status: 200, description: "All fields match their definitions.", schema: UpsertAnswerSchema },
    refusals: PROVIDER_REFUSALS,
    refusalMembers: RefusedUpsertSchema,
    async handle({ project, params, body }) {
      const { provider } = params;
      const connectionId = await connectionOfGroup(deps, project.id, { provider, groupRef: body.groupRef });
      return upsertFields(deps, { projectId: project.id, connectionId, provider }, body.fields);
    },
  });
