/** GET /v1/projects/{projectIdOrName}/consents */
import { Type } from "typebox";
import { nowMs } from "../../../ground/clock.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import {
  listConsents as listRows,
  type ListedStatus,
  type ShownConsent,
} from "../../store/connections/consents.ts";
import type { Database } from "../../store/database/database.ts";
import { listPage, describePageQuery, describePage } from "../pages.ts";
import { isRetryable, REASONS, type FailureReason } from "./consent-failure.ts";
import { describeTime } from "../../../ground/described.ts";

const STATUSES = ["pending", "succeeded", "failed", "expired"] as const;

const text = (description: string) => Type.Optional(Type.String({ description }));

const ConsentSchema = Type.Object(
  {
    id: Type.String({
      description: "Id of the consent. The customer sees it as `Reference` on a failure's page.",
    }),
    provider: Type.String({ description: "The provider's name in the catalog." }),
    providerAppId: text("The provider app used. Absent for custom authentication without one."),
    groupRef: Type.String({ description: "The customer." }),
    groupName: text("Display name of the group, if it was given."),
    consumerRef: Type.String({ description: "The person asked." }),
    consumerName: text("Display name of the person, if it was given."),
    connectionId: text("The connection made, or the one that gets new credentials."),
    status: Type.Enum([...STATUSES], {
      description:
        "`pending`: the customer has not finished yet. `expired`: the customer did not come back in time. If `leaveTime` is set, " +
        "the provider may have refused the redirect URI or the scopes on its own page.",
    }),
    reason: Type.Optional(
      Type.Enum(Object.keys(REASONS) as FailureReason[], {
        description: Object.entries(REASONS)
          .map(([name, { meaning }]) => `\`${name}\`: ${meaning}.`)
          .join(" "),
      }),
    ),
    retryable: Type.Optional(
      Type.Boolean({
        description: "Of a failed consent: whether its page offers the customer to try again.",
      }),
    ),
    message: text("The text about the failure on the customer's page."),
    detail: text("What happened, for you: what the provider or Busbar said, without secrets."),
    createTime: describeTime("When your application asked."),
    openTime: Type.Optional(
      describeTime("When the page before the provider's was first opened, possibly by a link preview."),
    ),
    leaveTime: Type.Optional(describeTime("When the customer last continued to the provider.")),
    endTime: Type.Optional(describeTime("When it succeeded or failed.")),
    expireTime: describeTime("When it expires, or would have expired."),
  },
  {
    title: "Consent",
    description: "One attempt of a customer to connect an account on a provider's consent page.",
  },
);

const PAGE = { usual: 50, maximum: 500 };

export const listConsents = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listConsents",
    tag: "OAuth",
    summary: "List consents",
    description:
      "Newest first: the customers who were asked to connect, and the results. Consents are kept as long as operations, or for " +
      "a day if the customer never continued to the provider. Of custom authentication, only failed attempts are listed.",
    query: Type.Object({
      status: Type.Optional(
        Type.Enum([...STATUSES], { description: "Return only consents in this status." }),
      ),
      provider: text("Return only consents of this provider."),
      groupRef: text("Return only this group's consents."),
      ...describePageQuery(PAGE),
    }),
    success: { status: 200, description: "One page of consents.", schema: describePage(ConsentSchema) },
    handle: async ({ project, query }) =>
      listPage(query, {
        usual: PAGE.usual,
        list: (page) => listRows(deps.database.control, project.id, query, page),
        show: toConsent,
      }),
  });

const toConsent = (row: ShownConsent) => ({
  id: row.id,
  provider: row.provider,
  providerAppId: row.providerAppId ?? undefined,
  groupRef: row.groupRef,
  groupName: row.groupName ?? undefined,
  consumerRef: row.consumerRef,
  consumerName: row.consumerName ?? undefined,
  connectionId: row.connectionId ?? undefined,
  status: chooseStatus(row),
  reason: (row.reason as FailureReason | null) ?? undefined,
  // Without the browser that continued there is no page to try again on.
  retryable: row.reason === null ? undefined : isRetryable(row.reason) && row.browserHash !== null,
  message: row.message ?? undefined,
  detail: row.detail ?? undefined,
  createTime: row.createTime.toISOString(),
  openTime: row.openTime?.toISOString(),
  leaveTime: row.leaveTime?.toISOString(),
  endTime: row.endTime?.toISOString(),
  expireTime: row.expireTime.toISOString(),
});

const chooseStatus = ({ status, expireTime }: ShownConsent): ListedStatus => {
  if (status === "succeeded" || status === "failed") return status;
  return expireTime.getTime() > nowMs() ? "pending" : "expired";
};
