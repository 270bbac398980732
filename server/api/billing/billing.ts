/** The billing endpoints that clients may call. They always refuse: a self-hosted Busbar has no billing. */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { endpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import { getOwnOrg, OrgParams } from "../orgs/org.ts";
import { CreateTime, UpdateTime } from "../members.ts";

export const listBillingRoutes = (deps: { database: Database }): Route[] => [
  route("GET /v1/orgs/{orgId}/billingAccount", "full", getOrgBillingAccount(deps)),
  route("POST /v1/billingAccounts/{billingAccountId}/portalSession", "full", createBillingAccountSession()),
];

const BillingAccountSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the billing account." }),
    displayName: Type.String({ description: "Display name." }),
    billingProvider: Type.String({ description: "Billing provider." }),
    billingProviderRef: Type.String({ description: "Id of the account at the billing provider." }),
    createTime: Type.Optional(CreateTime),
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "BillingAccount", description: "A billing account. Never returned." },
);

const getOrgBillingAccount = (deps: { database: Database }) =>
  endpoint({
    operationId: "getOrgBillingAccount",
    tag: "Organisations",
    summary: "Get the billing account of an organisation",
    description: "Always answers 404: a self-hosted Busbar has no billing. Exists for clients that call it.",
    params: OrgParams,
    success: { status: 200, description: "Never.", schema: BillingAccountSchema },
    refusals: { 404: "Always: there are no billing accounts." },
    async handle({ caller, params }) {
      await getOwnOrg(deps.database.control, caller, params.orgId);
      throw refuseBilling();
    },
  });

const createBillingAccountSession = () =>
  endpoint({
    operationId: "createBillingAccountSession",
    tag: "Organisations",
    summary: "Open the billing portal",
    description: "Always answers 404: a self-hosted Busbar has no billing. Exists for clients that call it.",
    params: Type.Object({ billingAccountId: Type.String({ description: "Id of the billing account." }) }),
    body: Type.Object({
      redirectUrl: Type.String({ description: "URL to return to." }),
      timeout: Type.Optional(Type.Integer({ description: "Seconds until the session ends." })),
    }),
    success: {
      status: 200,
      description: "Never.",
      schema: Type.Object({ url: Type.String({ description: "URL of the portal." }) }),
    },
    refusals: { 404: "Always: there are no billing accounts." },
    async handle(): Promise<{ url: string }> {
      throw refuseBilling();
    },
  });

const refuseBilling = (): Problem =>
  new Problem("not-found", { detail: "There are no billing accounts: a self-hosted Busbar has no billing." });
