/** Organisations: their endpoints. */
import { Type } from "typebox";
import { endpoint, route, type Route } from "../../http/endpoint.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import {
  findOrganization,
  findOwner,
  insertMembership,
  insertOrganization,
  listBuilders,
  updateOrganization,
} from "../../store/access/organizations.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";
import { getOwnOrg, LabelSchema, MemberSchema, OrgParams, OrgSchema, toMember, toOrg } from "./org.ts";

export const listOrgRoutes = (deps: { database: Database }): Route[] => [
  route("POST /v1/orgs", "full", createOrg(deps)),
  route("GET /v1/orgs/{orgId}", "full", getOrg(deps)),
  route("PATCH /v1/orgs/{orgId}", "full", updateOrg(deps)),
  route("GET /v1/orgs/{orgId}/builders", "full", listOrgBuilders(deps)),
];

const getOrg = (deps: { database: Database }) =>
  endpoint({
    operationId: "getOrg",
    tag: "Organisations",
    summary: "Get an organisation",
    description:
      "Returns the credential's organisation. Any other is refused with 403, whether it exists or not.",
    params: OrgParams,
    success: { status: 200, description: "The organisation.", schema: OrgSchema },
    handle: async ({ caller, params }) => toOrg(await getOwnOrg(deps.database.control, caller, params.orgId)),
  });

const createOrg = (deps: { database: Database }) =>
  endpoint({
    operationId: "createOrg",
    tag: "Organisations",
    summary: "Create an organisation",
    description:
      "The creator owns it; with an API key, the owner of its organisation does. An API key has no access " +
      "to the new organisation: its projects are created by a person or with `busbar bootstrap`.",
    body: Type.Object({ label: LabelSchema }),
    success: { status: 201, description: "The organisation.", schema: OrgSchema },
    async handle({ caller, body }) {
      return transactControl(deps.database, async (queries) => {
        const { id } = await insertOrganization(queries, body.label);
        const owner = caller.builderId ?? (caller.orgId && (await findOwner(queries, caller.orgId)));
        if (owner) await insertMembership(queries, { orgId: id, builderId: owner, role: "owner" });
        const row = await findOrganization(queries, id);
        if (!row) throw new Error("the organisation was not stored");
        return toOrg(row);
      });
    },
  });

const updateOrg = (deps: { database: Database }) =>
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
      const { id } = await getOwnOrg(deps.database.control, caller, params.orgId);
      const change = pickMasked(body.updateMask, body.org, ["label"], "org");
      return toOrg(await updateOrganization(deps.database.control, id, change));
    },
  });

const listOrgBuilders = (deps: { database: Database }) =>
  endpoint({
    operationId: "listOrgBuilders",
    tag: "Organisations",
    summary: "List the builders of an organisation",
    description: "All people of the organisation with their roles, including the owner.",
    params: OrgParams,
    success: { status: 200, description: "The people, oldest first.", schema: Type.Array(MemberSchema) },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.control, caller, params.orgId);
      return (await listBuilders(deps.database.control, id)).map(toMember);
    },
  });
