/** The destination as the API shows it, and its lookup. */
import { isDeepStrictEqual } from "node:util";
import { type Static, type TSchema, Type } from "typebox";
import { maskAddress } from "../../../destination-kit/mask-address.ts";
import { DESTINATIONS } from "../../../destinations/index.gen.ts";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { isJsonObject } from "../../../ground/json.ts";
import { includesRole } from "../../../ground/role.ts";
import { type DestinationSecrets, listActiveKeys } from "../../deliver/destinations/destination-secrets.ts";
import { suggestDestination } from "../../deliver/destinations/suggest-destination.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { type DeliveryFigures, MAX_COUNTED } from "../../store/deliveries/delivery-figures.ts";
import { type DestinationRow, findDestination } from "../../store/deliveries/destinations.ts";
import type { LastFailure } from "../../store/deliveries/last-failures.ts";
import { sumFigures } from "../../store/shards/sum-figures.ts";
import { Unavailable } from "../pages.ts";
import { DestinationId, CreateTime, toTimes, UpdateTime } from "../members.ts";

const LastFailureSchema = Type.Object(
  {
    time: describeTime("When the attempt started."),
    status: Type.Optional(Type.Integer({ description: "HTTP status of the response, if there was one." })),
    error: Type.Optional(Type.String({ description: "Why the attempt failed." })),
  },
  { title: "LastFailure", description: "An attempt to deliver that failed." },
);

const HealthSchema = Type.Object(
  {
    state: Type.Enum(["idle", "working", "failing", "disabled"], {
      description:
        "`idle`: nothing has been delivered. `failing`: no attempt has succeeded since `failingSince`; `lastFailure` says why.",
    }),
    failingSince: Type.Optional(describeTime("Time of the first failure after the last success.")),
    lastFailure: Type.Optional(
      described(LastFailureSchema, "Why: the last failed attempt, while it is failing or disabled."),
    ),
    nextAttemptTime: Type.Optional(
      describeTime("When the next attempt is due, while it is failing. Absent if nothing waits."),
    ),
    waiting: Type.Integer({
      description: `Number of deliveries that are sent now or retried later, counted up to ${MAX_COUNTED}.`,
    }),
    failed: Type.Integer({
      description: `Number of deliveries that have failed for good and are still kept, counted up to ${MAX_COUNTED}.`,
    }),
    lastDeliveredTime: Type.Optional(describeTime("Time of the last successful attempt.")),
    unavailable: Type.Optional(Unavailable),
  },
  { title: "DestinationHealth", description: "Whether messages arrive." },
);
/** All members that any type has. Code checks which of them belong to the type, with better messages than a schema. */
export const MetadataSchema = describeAnyMembers(
  "config",
  "Settings of the destination, depending on the type.",
);
export const SecretsSchema = describeAnyMembers(
  "secrets",
  "Secrets of the destination, depending on the type. Stored encrypted, never returned.",
);

function describeAnyMembers(part: "config" | "secrets", description: string) {
  const members = new Map<string, { type: string; schema: TSchema }[]>();
  for (const { type, ...parts } of Object.values(DESTINATIONS)) {
    for (const [name, schema] of Object.entries(parts[part].properties)) {
      members.set(name, [...(members.get(name) ?? []), { type, schema }]);
    }
  }
  const merged = [...members].map(([name, uses]) => [name, Type.Optional(buildMemberSchema(uses))]);
  const shown = Type.Object(Object.fromEntries(merged), { description, additionalProperties: true });
  return Type.Record(Type.String(), Type.Unknown(), { shownAs: shown });
}

/** Returns the schema of a member with what each type says of it. Limits that types do not share are left out. */
function buildMemberSchema(uses: { type: string; schema: TSchema }[]): TSchema {
  const byWords = Map.groupBy(uses, ({ schema }) => describeSchema(schema));
  const description = [...byWords]
    .map(([words, users]) => {
      const types = users.map(({ type }) => `\`${type}\``).join(", ");
      return words ? `${types}: ${words}` : types;
    })
    .join(" ");
  const [first, ...others] = uses.map(({ schema }) => Object.entries({ ...schema, description }));
  const isShared = ([name, value]: [string, unknown]): boolean =>
    others.every((other) => other.some(([key, one]) => key === name && isDeepStrictEqual(one, value)));
  return Object.fromEntries((first ?? []).filter(isShared)) as TSchema;
}

function describeSchema(schema: TSchema): string {
  return (schema as { description?: string }).description ?? "";
}

export const IncludeSecrets = Type.Optional(
  Type.Boolean({ description: "Adds `secrets.webhookSigningKey`. Default false." }),
);

export const OwnWritesSchema = Type.Optional(
  Type.Union([Type.Literal("include"), Type.Literal("exclude")], {
    description:
      "Busbar's own: `exclude` leaves out changes that certainly show nothing but what Busbar wrote, where no object says otherwise. " +
      "Default `include`.",
  }),
);

const isOwnWrites = (value: string | null): value is "include" | "exclude" =>
  value === "include" || value === "exclude";

export const DestinationSchema = Type.Object(
  {
    id: DestinationId,
    name: Type.String({ description: "Name of the destination, unique in the project." }),
    type: Type.String({ description: "Type of the destination, for example `webhook`." }),
    metadata: MetadataSchema,
    ownWrites: OwnWritesSchema,
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
    disabledTime: Type.Optional(describeTime("When it was disabled. Absent if it is enabled.")),
    disabledReason: Type.Optional(Type.String({ description: "Why the destination is disabled." })),
    health: Type.Optional(
      described(
        HealthSchema,
        "Whether messages arrive. In answers to `getDestination` and `listDestinations`.",
      ),
    ),
  },
  { title: "Destination", description: "A receiver of events, for example a webhook or a queue." },
);

export const DestinationWithSecretsSchema = Type.Object(
  {
    ...DestinationSchema.properties,
    secrets: Type.Optional(
      Type.Object(
        {
          webhookSigningKey: Type.Optional(
            Type.String({ description: "Key to verify webhook signatures with, `whsec_…`." }),
          ),
        },
        { description: "Only with `includeSecrets`." },
      ),
    ),
  },
  { title: "DestinationWithSecrets", description: "A destination, with its signing key if requested." },
);

export const toDestination = (row: DestinationRow): Static<typeof DestinationSchema> => ({
  id: row.id,
  name: row.name,
  type: row.type,
  metadata: row.metadata as Record<string, unknown>,
  ...(isOwnWrites(row.ownWrites) && { ownWrites: row.ownWrites }),
  ...toTimes(row),
  ...(row.disabledTime && { disabledTime: row.disabledTime.toISOString() }),
  ...(row.disabledReason !== null && { disabledReason: row.disabledReason }),
});

/**
 * Returns how a destination is shown to the caller: whoever may not change it does not see the values of its headers, in which
 * receivers take their secrets, nor those in its address.
 */
export const chooseView = (
  caller: Caller,
  show: typeof toDestination = toDestination,
): typeof toDestination => (maySeeSecrets(caller) ? show : (row) => withoutSecretSettings(show(row)));

/** Returns whether the caller may know what destinations are sent to and with which headers. */
export const maySeeSecrets = ({ role }: Caller): boolean =>
  role === undefined || includesRole(role, "editor");

function withoutSecretSettings(shown: Static<typeof DestinationSchema>): Static<typeof DestinationSchema> {
  const { url, headers } = shown.metadata;
  const hidden = isJsonObject(headers) && {
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, "…"])),
  };
  const address = typeof url === "string" && { url: maskAddress(url) };
  return { ...shown, metadata: { ...shown.metadata, ...address, ...hidden } };
}

/** Adds the signing key, the only secret that is ever returned. */
export function withSecrets(
  row: DestinationRow,
  secrets: DestinationSecrets,
): Static<typeof DestinationWithSecretsSchema> {
  const [webhookSigningKey] = listActiveKeys(secrets);
  return { ...toDestination(row), secrets: { ...(webhookSigningKey && { webhookSigningKey }) } };
}

/** Finds it by id or name. Throws a 404 Problem. */
export async function getDestinationRow(
  queries: ControlQueries,
  projectId: string,
  idOrName: string,
  lock: "update" | "none" = "none",
): Promise<DestinationRow> {
  const row = await findDestination(queries, projectId, idOrName, lock);
  if (row) return row;
  const hint = await suggestDestination(queries, projectId, idOrName);
  const detail = `There is no destination \`${idOrName}\` in this project. ${hint}`.trim();
  throw new Problem("not-found", { detail });
}

export const refuseDestinationName = (name: string, cause: unknown): Problem =>
  new Problem("conflict", {
    detail: `There is a destination \`${name}\` in this project already. Choose another name.`,
    cause,
  });

type Health = Static<typeof HealthSchema>;

/** Adds the health to each of these destinations, which are shown by `show`. */
export async function withHealth<Shown extends { id: string }>(
  database: Pick<Database, "shards">,
  rows: DestinationRow[],
  show: (row: DestinationRow) => Shown,
): Promise<(Shown & { health: Health })[]> {
  const { figures, failures, unavailable } = await sumFigures(database, rows);
  return rows.map((row) => ({
    ...show(row),
    health: {
      ...toHealth(row, figures.get(row.id)),
      ...toFailure(row, failures.get(row.id)),
      ...(unavailable.length > 0 && { unavailable }),
    },
  }));
}

function toFailure(
  { disabledTime, failingSince, failingReason }: DestinationRow,
  last: LastFailure | undefined,
): Pick<Health, "lastFailure" | "nextAttemptTime"> {
  const first = failingSince &&
    failingReason !== null && { time: failingSince.toISOString(), error: failingReason };
  const lastFailure = last?.attempt ? pickFailure(last.attempt) : first;
  return {
    ...(lastFailure && { lastFailure }),
    ...(last?.nextAttemptTime && !disabledTime && { nextAttemptTime: last.nextAttemptTime.toISOString() }),
  };
}

const pickFailure = ({
  time,
  status,
  error,
}: NonNullable<LastFailure["attempt"]>): Health["lastFailure"] => ({
  time,
  ...(status !== undefined && { status }),
  ...(error !== undefined && { error }),
});

function toHealth(
  { disabledTime, failingSince }: DestinationRow,
  figures: DeliveryFigures | undefined,
): Health {
  const { waiting = 0, failed = 0, lastDeliveredTime } = figures ?? {};
  const works = lastDeliveredTime ? "working" : "idle";
  return {
    state: disabledTime ? "disabled" : failingSince ? "failing" : works,
    ...(failingSince && { failingSince: failingSince.toISOString() }),
    waiting,
    failed,
    ...(lastDeliveredTime && { lastDeliveredTime: lastDeliveredTime.toISOString() }),
  };
}
