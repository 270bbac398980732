/** Billing accounts, which a Busbar of your own has none of: the two endpoints that clients may still call say so. */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { getOwnOrg, OrgParams } from "../orgs/org.ts";
import { CreateTime, UpdateTime } from "../times.ts";

const BillingAccountSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the billing account." }),
    displayName: Type.String({ description: "How it is shown." }),
    billingProvider: Type.String({ description: "Who bills." }),
    billingProviderRef: Type.String({ description: "How the account is called there." }),
    createTime: Type.Optional(CreateTime),
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "BillingAccount", description: "Never shown: nothing is sold here." },
);

export const getOrgBillingAccount = (deps: { database: Database }) =>
  endpoint({
    operationId: "getOrgBillingAccount",
    tag: "Organisations",
    summary: "Get the billing account of an organisation",
    description: "Always 404: a Busbar of your own bills nobody. Kept for clients that ask.",
    params: OrgParams,
    success: { status: 200, description: "Never.", schema: BillingAccountSchema },
    refusals: { 404: "Always: there are no billing accounts." },
    async handle({ caller, params }) {
      await getOwnOrg(deps.database.queries, caller, params.orgId);
      throw noBilling();
    },
  });

export const createBillingAccountSession = () =>
  endpoint({
    operationId: "createBillingAccountSession",
    tag: "Organisations",
    summary: "Open the billing portal",
    description: "Always 404: a Busbar of your own bills nobody. Kept for clients that ask.",
    params: Type.Object({ billingAccountId: Type.String({ description: "Id of the billing account." }) }),
    body: Type.Object({
      redirectUrl: Type.String({ description: "Where to go afterwards." }),
      timeout: Type.Optional(Type.Integer({ description: "Seconds until the session ends." })),
    }),
    success: {
      status: 200,
      description: "Never.",
      schema: Type.Object({ url: Type.String({ description: "Where the portal is." }) }),
    },
    refusals: { 404: "Always: there are no billing accounts." },
    async handle(): Promise<{ url: string }> {
      throw noBilling();
    },
  });

const noBilling = (): Problem =>
  new Problem("not-found", { detail: "There are no billing accounts here: nothing is sold." });
