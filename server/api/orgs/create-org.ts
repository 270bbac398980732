/** POST /v1/orgs */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { type Database, transact } from "../../store/database.ts";
import {
  findOrganization,
  findOwner,
  insertMembership,
  insertOrganization,
} from "../../store/organizations.ts";
import { LabelSchema, OrgSchema, toOrg } from "./org.ts";

export const createOrg = (deps: { database: Database }) =>
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
      return transact(deps.database, async (queries) => {
        const { id } = await insertOrganization(queries, body.label);
        const owner = caller.builderId ?? (caller.orgId && (await findOwner(queries, caller.orgId)));
        if (owner) await insertMembership(queries, { orgId: id, builderId: owner, role: "owner" });
        const row = await findOrganization(queries, id);
        if (!row) throw new Error("the organisation was not stored");
        return toOrg(row);
      });
    },
  });
