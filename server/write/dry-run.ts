/** Answers a dry run: the requests that would be sent and the withheld fields. Sends nothing. */
import { Type, type Static } from "typebox";
import type { Account, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { listAddressValues } from "../credentials/stored/provider-metadata.ts";
import { Problem } from "../../ground/errors.ts";
import { formatFieldPath } from "../../ground/field-path.ts";
import { findConnection } from "../store/connections/connections.ts";
import type { Database } from "../store/database/database.ts";
import type { WriteTarget } from "./find-target.ts";
import type { WritePlan } from "./plan-write.ts";
import { isNothingLeft, listNeededReads } from "./settle-plan.ts";
import { toRecordWrite } from "./to-record-write.ts";

export const DryRunSchema = Type.Object(
  {
    dryRun: Type.Literal(true, { description: "Always true." }),
    requests: Type.Array(
      Type.Object({
        method: Type.String({ description: "HTTP method." }),
        path: Type.String({ description: "Below the provider's base address." }),
        headers: Type.Optional(
          Type.Record(Type.String(), Type.String(), { description: "Headers, by name." }),
        ),
        body: Type.Optional(Type.Unknown({ description: "Request body." })),
      }),
      { description: "The requests that would be sent, in order, without credentials." },
    ),
    records: Type.Array(
      Type.Object({
        id: Type.Optional(Type.String({ description: "The provider's id of the record." })),
        fields: Type.Record(Type.String(), Type.Unknown(), { description: "Fields that would be sent." }),
        withheld: Type.Array(
          Type.Object({
            field: Type.String({ description: "Name of the field." }),
            reason: Type.String({ description: "Why it is withheld." }),
          }),
          { description: "Fields that would not be sent." },
        ),
        ifEmpty: Type.Array(Type.String(), {
          description: "Fields that are sent only if they are empty at the provider.",
        }),
        entries: Type.Optional(
          Type.Array(
            Type.Object({
              path: Type.String({ description: "Path to the value." }),
              value: Type.Unknown({ description: "Value that would be set." }),
            }),
            {
              description:
                "Of an update: values that are set in the record's current lists. `requests` lacks these lists, which are read first.",
            },
          ),
        ),
      }),
      { description: "Planned fields of each record." },
    ),
    readFirst: Type.Optional(
      Type.Object(
        {
          ids: Type.Array(Type.String(), { description: "The provider's ids of the records." }),
          fields: Type.Array(Type.String(), { description: "Names of the fields." }),
        },
        { description: "Records to read before writing, because of `ifEmpty` or of entries of lists." },
      ),
    ),
  },
  { title: "DryRun", description: "What a write would do." },
);

/** Throws a Problem when the connector cannot make a request of the plan. */
export function dryRun(
  target: WriteTarget,
  plan: WritePlan,
  account: Account | undefined,
): Static<typeof DryRunSchema> {
  const requests = prepare(target, plan, account);
  const readFirst = listNeededReads(plan);
  return {
    dryRun: true,
    requests: requests.map(({ method, path, headers, body }) => ({ method, path, headers, body })),
    records: plan.records.map(({ id, fields, withheld, ifEmpty, entries }) => ({
      id,
      fields,
      withheld,
      ifEmpty,
      ...(entries && {
        entries: entries.map(({ steps, value }) => ({ path: formatFieldPath(steps), value })),
      }),
    })),
    ...(readFirst && { readFirst }),
  };
}

/** Returns what requests need to know of the account, without a call. */
export async function findStoredAccount(
  { database }: { database: Database },
  { projectId, connectionId }: { projectId: string; connectionId: string },
): Promise<Account | undefined> {
  const connection = await findConnection(database.control, projectId, connectionId);
  return connection && { values: listAddressValues(connection) };
}

function prepare(
  { connector }: WriteTarget,
  plan: WritePlan,
  account: Account | undefined,
): ProviderRequest[] {
  const records = plan.records.filter((record) => !isNothingLeft(plan.type, record));
  if (records.length === 0) return [];
  try {
    return connector.write.prepare(toRecordWrite({ ...plan, records }, { readBack: true, account }));
  } catch (cause) {
    if (!(cause instanceof ProviderError)) throw cause;
    throw new Problem("semantically-invalid", { detail: `Nothing would be sent: ${cause.message}.`, cause });
  }
}
