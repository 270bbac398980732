/** POST …/installations/{installationId}/subscriptions:reconcile */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { now } from "../../../ground/clock.ts";
import { didYouMean } from "../../../ground/closest.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { requestReconciliation } from "../../store/subscription-walks.ts";
import { describeSubscriptions } from "../../subscribe/describe-subscriptions.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import { SubscriptionPath } from "./subscription.ts";

const REASON = "It was requested through the API.";
const MOST_OBJECTS = 100;

export const reconcileSubscriptions = (deps: {
  database: Database;
  catalog: Catalog;
  publicUrl: () => string;
}) =>
  projectEndpoint({
    operationId: "reconcileSubscriptions",
    tag: "Subscribe",
    summary: "Find missed changes by reading",
    description:
      "Reads which records were changed or deleted since a time, and delivers those that your destination does not have " +
      "in their present state. Their entries have the `providerEventType` `RECONCILED` and `rawEvent` with `reconciled`, " +
      "`since` and `until`. Events that are switched off stay off. `listSubscriptions` shows how it goes.",
    params: SubscriptionPath,
    body: Type.Object({
      since: Type.String({
        description: "Look for changes since this time, such as `2026-01-31T12:00:00Z`.",
      }),
      objects: Type.Optional(
        Type.Array(Type.String({ description: "The provider's name of an object." }), {
          minItems: 1,
          maxItems: MOST_OBJECTS,
          description: "Default: every object that is subscribed to.",
        }),
      ),
    }),
    success: { status: 202, description: "It will begin at once." },
    async handle({ project, params, body }) {
      const { queries } = deps.database;
      const since = readSince(body.since);
      const integration = await getIntegrationRow(queries, project.id, params.integrationId);
      const row = await getInstallationRow(queries, project.id, integration.id, params.installationId);
      const known = (await describeSubscriptions(deps, integration, row)).map(({ objectName }) => objectName);
      const unknown = body.objects?.findIndex((name) => !known.includes(name)) ?? -1;
      if (unknown !== -1) throw unknownObject(unknown, body.objects?.[unknown] ?? "", known);
      for (const objectName of new Set(body.objects ?? known)) {
        await requestReconciliation(queries, { installationId: row.id, objectName, since, reason: REASON });
      }
    },
  });

/** RFC 3339: without a zone the time would be the server's. */
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

function readSince(text: string): Date {
  const since = new Date(TIME.test(text) ? text : Number.NaN);
  if (Number.isNaN(since.getTime())) {
    throw refuse({
      name: "since",
      detail: "`since` must be a time with its zone.",
      value: text,
      remedy: "Write it like 2026-01-31T12:00:00Z.",
    });
  }
  if (since <= now()) return since;
  const remedy = "Name a time in the past.";
  throw refuse({ name: "since", detail: "`since` must not be in the future.", value: text, remedy });
}

function unknownObject(index: number, value: string, known: string[]): Problem {
  const detail = `The installation does not subscribe to \`${value}\`.`;
  const remedy = didYouMean(value, known, "Name an object of `subscribe` in its manifest or configuration.");
  return refuse({ name: `objects[${index}]`, detail, value, remedy });
}

const refuse = (issue: Omit<Issue, "in"> & { remedy: string }): Problem =>
  new Problem("invalid-request", {
    detail: `${issue.detail} ${issue.remedy}`,
    issues: [{ in: "body", ...issue } as Issue],
  });
