/** Schemas of the `data` of each event type, and the types derived from them. */
import { Type, type Static } from "typebox";
import { HEALTH_REASON_TYPES } from "../store/integrations/installation-health.ts";
import { describeTime } from "../../ground/described.ts";

const PROJECT = { projectId: Type.String({ description: "Id of the project." }) };

const CONNECTION = {
  ...PROJECT,
  connectionId: Type.String({ description: "Id of the connection." }),
  provider: Type.String({ description: "The provider's name in the catalog (`GET /v1/providers`)." }),
  groupRef: Type.String({ description: "Your own id for the customer." }),
  consumerRef: Type.String({ description: "Your own id for the person who connected." }),
  consumerName: Type.String({ description: "Display name of the person." }),
};

/** Common to all events about a connection. */
export const ConnectionFieldsSchema = Type.Object(CONNECTION, { title: "ConnectionEvent" });
export type ConnectionFields = Static<typeof ConnectionFieldsSchema>;

const INSTALLATION = {
  ...CONNECTION,
  groupName: Type.String({ description: "Display name of the group." }),
  integrationId: Type.String({ description: "Id of the integration." }),
  integrationName: Type.String({ description: "Name of the integration." }),
  installationId: Type.String({ description: "Id of the installation." }),
};

/** Common to all events about an installation. */
const InstallationFieldsSchema = Type.Object(INSTALLATION);
export type InstallationFields = Static<typeof InstallationFieldsSchema>;

const object = (description: string) => Type.Unsafe<object>(Type.Object({}, { description }));
const texts = (description: string) => Type.Array(Type.String(), { description });

const CONFIG = { config: object("Content of the installation's configuration.") };
const LAST_CONFIG = { lastConfig: object("Content of the previous configuration.") };
const OBJECT = { objectName: Type.String({ description: "The provider's name for the object." }) };
const ERROR = { error: Type.String({ description: "Error message." }) };
const SPAN = {
  ...OBJECT,
  fromTimestamp: Type.Optional(describeTime("Start of the time range that was read, if it had one.")),
  untilTimestamp: Type.Optional(describeTime("End of the time range that was read, if it had one.")),
};

export const InstallationEventSchema = Type.Object(
  { ...INSTALLATION, ...CONFIG },
  { title: "InstallationEvent" },
);

export const InstallationUpdatedSchema = Type.Object(
  { ...INSTALLATION, ...CONFIG, ...LAST_CONFIG },
  { title: "InstallationUpdatedEvent" },
);

export const HealthReasonsSchema = Type.Array(
  Type.Object(
    {
      type: Type.Enum([...HEALTH_REASON_TYPES], {
        description:
          "`connection`: the provider refuses the credentials. `destination`: it is missing, disabled or failing. `field`: the provider does " +
          "not know it any more. `object`: the provider does not know it, or does not show it. `read`: reading fails. `subscription`: changes " +
          "are not reported. `write`: a write that was accepted fails for five minutes, or waits for its turn and no other one has ended for so long; or three of one type in a row failed at the provider or have an unknown outcome. `worker`: no process does background work.",
      }),
      name: Type.String({
        description:
          "Of the provider, destination, field or object. Of `write`: the provider if writes wait, the object if they fail.",
      }),
      detail: Type.String({ description: "What is known of it." }),
      since: describeTime("Since when."),
    },
    { title: "HealthReason", description: "One reason why something is not healthy." },
  ),
  { description: "Busbar's own: why it is `unhealthy`, the oldest first; empty while it is healthy." },
);

export type HealthReasonFields = Static<typeof HealthReasonsSchema>[number];

export const InstallationHealthChangedSchema = Type.Object(
  {
    ...INSTALLATION,
    healthStatus: Type.Enum(["healthy", "unhealthy"], { description: "What it is now." }),
    healthReasons: HealthReasonsSchema,
  },
  { title: "InstallationHealthChangedEvent" },
);

export const ReadBackfillDoneSchema = Type.Object(
  {
    ...INSTALLATION,
    ...OBJECT,
    // Busbar's own: published schemas do not have them, but allow further members.
    operationId: Type.String({ description: "Id of the read's operation." }),
    recordsRead: Type.Integer({ description: "Number of records that the provider gave." }),
    recordsInMessages: Type.Integer({
      description:
        "Number of those that are in messages; the others are in one of a newer read. Their deliveries say whether they arrived.",
    }),
  },
  { title: "ReadBackfillDoneEvent" },
);

export const ReadSchedulePausedSchema = Type.Object(
  { ...INSTALLATION, ...CONFIG, ...ERROR },
  { title: "ReadSchedulePausedEvent" },
);

export const ReadTriggeredDoneSchema = Type.Object(
  { ...INSTALLATION, ...SPAN },
  { title: "ReadTriggeredDoneEvent" },
);

export const ReadTriggeredErrorSchema = Type.Object(
  { ...INSTALLATION, ...SPAN, ...ERROR },
  { title: "ReadTriggeredErrorEvent" },
);

export const WriteAsyncDoneSchema = Type.Object(
  {
    ...INSTALLATION,
    ...OBJECT,
    success: Type.Boolean({ description: "False if any record failed." }),
    successfulRecordIds: texts("The provider's ids of the written records."),
    errors: texts("One message per failed record, or one for the whole write."),
    // Busbar's own: published schemas do not have it, but allow further members.
    operationId: Type.String({ description: "Id of the operation." }),
  },
  { title: "WriteAsyncDoneEvent" },
);

export const SubscribeCreateErrorSchema = Type.Object(
  { ...INSTALLATION, ...ERROR },
  { title: "SubscribeCreateErrorEvent" },
);

export const ConnectionErrorSchema = Type.Object(
  {
    ...CONNECTION,
    errors: texts("Error messages."),
    error: texts("The same list. Deprecated, use `errors`."),
  },
  { title: "ConnectionErrorEvent" },
);

export const DestinationWebhookDisabledSchema = Type.Object(
  {
    ...PROJECT,
    destinationId: Type.String({ description: "Id of the destination." }),
    destinationName: Type.String({ description: "Name of the destination." }),
    url: Type.String({ description: "URL of the disabled webhook; `…` stands for secrets in it." }),
  },
  { title: "DestinationWebhookDisabledEvent" },
);
