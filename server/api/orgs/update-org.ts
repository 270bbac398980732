/** PATCH /v1/orgs/{orgId} */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { updateOrganization } from "../../store/organizations.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";
import { getOwnOrg, LabelSchema, OrgParams, OrgSchema, toOrg } from "./org.ts";

export const updateOrg = (deps: { database: Database }) =>
  endpoint({
    operationId: "updateOrg",
    tag: "Organisations",
    summary: "Update an organisation",
    description: "`updateMask` may list label.",
    params: OrgParams,
    role: "owner",
    body: Type.Object({
      updateMask: UpdateMask,
      org: Type.Object(
        { label: Type.Optional(LabelSchema) },
        { description: "New values of the members listed in `updateMask`." },
      ),
    }),
    success: { status: 200, description: "The updated organisation.", schema: OrgSchema },
    async handle({ caller, params, body }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      const change = pickMasked(body.updateMask, body.org, ["label"], "org");
      return toOrg(await updateOrganization(deps.database.queries, id, change));
    },
  });
