/** The subscription as the API shows it, and the lookup of what it belongs to. */
import { Type, type Static } from "typebox";
import { described } from "../../ground/described.ts";
import type { DescribedSubscription } from "../../subscribe/describe-subscriptions.ts";
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
    received: count("Events that the provider sent, without duplicates."),
    delivered: count("Events that messages report; several may be one entry."),
    filtered: count("Events that were not wanted."),
    duplicates: count("Events that the provider sent again."),
  },
  { title: "SubscriptionCounts", description: "Events since the subscription was made." },
);

export const SubscriptionSchema = Type.Object(
  {
    objectName: Type.String({ description: "The provider's name of the object, as in the manifest." }),
    source: Type.Union(
      [Type.Literal("webhook"), Type.Literal("journal"), Type.Literal("pubsub"), Type.Literal("polling")],
      { description: "How changes become known. `webhook`: the provider pushes them." },
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
          "`pending`: being set up. `active`: events are delivered. `degraded`: they cannot be delivered now, or may " +
          "not arrive. `failed`: somebody must mend what `reason` names. `disabled`: every event is off.",
      },
    ),
    reason: Type.Optional(Type.String({ description: "Why the state is not `active`." })),
    events: described(EventsSchema, "Events that are delivered."),
    watchFields: Type.Union(
      [Type.Literal("all"), Type.Array(Type.String({ description: "The provider's name." }))],
      { description: "Fields whose change is an update." },
    ),
    counts: described(CountsSchema, "Events so far."),
    lastEventTime: Type.Optional(
      Type.String({ format: "date-time", description: "When the last event arrived." }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String({ description: "A sentence." }), { description: "Settings without effect." }),
    ),
  },
  { title: "Subscription", description: "An object whose changes an installation subscribes to." },
);

export const toSubscription = ({
  lastEventTime,
  warnings,
  ...rest
}: DescribedSubscription): Static<typeof SubscriptionSchema> => ({
  ...rest,
  ...(lastEventTime && { lastEventTime: lastEventTime.toISOString() }),
  ...(warnings.length > 0 && { warnings }),
});
