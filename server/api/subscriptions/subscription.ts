/** The subscription as the API shows it, and the lookup of what it belongs to. */
import { Type, type Static } from "typebox";
import { described, describeTime } from "../../../ground/described.ts";
import type { DescribedSubscription } from "../../subscribe/setup/describe-subscriptions.ts";
import { InstallationId, IntegrationIdOrName } from "../members.ts";

export const SubscriptionPath = Type.Object({
  integrationId: IntegrationIdOrName,
  installationId: InstallationId,
});

const flag = (description: string) => Type.Boolean({ description });
const count = (description: string) => Type.Integer({ description });

const EventsSchema = Type.Object(
  {
    create: flag("Created records."),
    update: flag("Updated records."),
    delete: flag("Deleted records."),
    associationChange: flag("Changed associations."),
    other: Type.Array(Type.String(), { description: "Further events by the provider's names." }),
  },
  { title: "SubscribedEvents", description: "Events that are delivered." },
);

const CountsSchema = Type.Object(
  {
    received: count("Events that the provider sent, without duplicates, and changes found by reading."),
    delivered: count("Events in messages that the receiver has accepted (2xx); several may be one entry."),
    filtered: count("Events that were not wanted, or repeated what was delivered before."),
    duplicates: count("Events that the provider sent again."),
  },
  { title: "SubscriptionCounts", description: "Events since the subscription was made." },
);

const ReconciliationSchema = Type.Object(
  {
    state: Type.Union(
      [Type.Literal("waiting"), Type.Literal("running"), Type.Literal("succeeded"), Type.Literal("failed")],
      { description: "Its state; a reconciliation that failed is not repeated by itself." },
    ),
    since: describeTime("Changes since this time are looked for."),
    until: Type.Optional(describeTime("Changes until this time were looked for.")),
    reason: Type.String({ description: "Why it is necessary." }),
    found: count("Changed and deleted records so far, those included that were delivered before."),
    error: Type.Optional(Type.String({ description: "Why it failed." })),
    endTime: Type.Optional(describeTime("When it ended.")),
  },
  { title: "SubscriptionReconciliation", description: "Finds missed changes by reading." },
);

export const SubscriptionSchema = Type.Object(
  {
    objectName: Type.String({ description: "The provider's name of the object, as in the manifest." }),
    source: Type.Union(
      [Type.Literal("webhook"), Type.Literal("journal"), Type.Literal("pubsub"), Type.Literal("polling")],
      {
        description:
          "How changes become known. `webhook`: the provider pushes them. `pubsub`: Busbar reads a stream of the provider. " +
          "`journal`: Busbar reads the journal of the provider app, which has the changes of all of its accounts. `polling`: " +
          "the account is read every minute (BUSBAR_SUBSCRIBE_POLL_SECONDS).",
      },
    ),
    state: Type.Union(
      [
        Type.Literal("pending"),
        Type.Literal("active"),
        Type.Literal("degraded"),
        Type.Literal("failed"),
        Type.Literal("disabled"),
      ],
      {
        description:
          "`pending`: being set up. `active`: events are delivered as they arrive; `lastEventTime` is absent before the first. `degraded`: they cannot be delivered now, or may " +
          "not arrive. `failed`: somebody must mend what `reason` names. `disabled`: every event is off.",
      },
    ),
    reason: Type.Optional(
      Type.String({
        description:
          "Why the state is not `active`, why the source is not a quicker one, or that no event has been pushed yet, since when.",
      }),
    ),
    events: described(EventsSchema, "Events that are delivered."),
    watchFields: Type.Union(
      [Type.Literal("all"), Type.Array(Type.String({ description: "The provider's name." }))],
      { description: "Fields whose change is an update." },
    ),
    counts: described(CountsSchema, "Events so far."),
    lastEventTime: Type.Optional(describeTime("When the last event arrived.")),
    polledUntil: Type.Optional(describeTime("With the source `polling`: changes until this time are known.")),
    reconciliation: Type.Optional(
      described(ReconciliationSchema, "The reconciliation that waits or runs, otherwise the last one."),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String({ description: "A sentence." }), { description: "Settings without effect." }),
    ),
  },
  { title: "Subscription", description: "An object whose changes an installation subscribes to." },
);

export const toSubscription = ({
  lastEventTime,
  polledUntil,
  warnings,
  ...rest
}: DescribedSubscription): Static<typeof SubscriptionSchema> => ({
  ...rest,
  ...(lastEventTime && { lastEventTime: lastEventTime.toISOString() }),
  ...(polledUntil && { polledUntil: polledUntil.toISOString() }),
  ...(warnings.length > 0 && { warnings }),
});
