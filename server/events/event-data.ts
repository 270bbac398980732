/** What each type of event carries as `data`: the schemas, and from them the types that the builders beside this file fill. */
import { Type, type Static } from "typebox";

const CONNECTION = {
  projectId: Type.String(),
  connectionId: Type.String({ description: "Id of the connection." }),
  provider: Type.String(),
  groupRef: Type.String(),
  consumerRef: Type.String(),
  consumerName: Type.String({ description: "How the person is shown." }),
};

/** Common to everything that tells of a connection. */
export const ConnectionFieldsSchema = Type.Object(CONNECTION, { title: "ConnectionEvent" });
export type ConnectionFields = Static<typeof ConnectionFieldsSchema>;

const INSTALLATION = {
  ...CONNECTION,
  groupName: Type.String({ description: "How the group is shown." }),
  integrationId: Type.String({ description: "Id of the integration." }),
  integrationName: Type.String({ description: "Name of the integration." }),
  installationId: Type.String(),
};

/** Common to everything that tells of an installation. */
const InstallationFieldsSchema = Type.Object(INSTALLATION);
export type InstallationFields = Static<typeof InstallationFieldsSchema>;

const object = (description: string) => Type.Unsafe<object>(Type.Object({}, { description }));
const texts = (description: string) => Type.Array(Type.String(), { description });

const CONFIG = { config: object("Content of the installation's configuration.") };
const LAST_CONFIG = { lastConfig: object("Content of the configuration before.") };
const OBJECT = { objectName: Type.String() };
const ERROR = { error: Type.String({ description: "What went wrong." }) };
const time = (description: string) => Type.Optional(Type.String({ format: "date-time", description }));
const SPAN = {
  ...OBJECT,
  fromTimestamp: time("The beginning of what was read, where it had one."),
  untilTimestamp: time("Its end, where it had one."),
};

export const InstallationEventSchema = Type.Object(
  { ...INSTALLATION, ...CONFIG },
  { title: "InstallationEvent" },
);

export const InstallationUpdatedSchema = Type.Object(
  { ...INSTALLATION, ...CONFIG, ...LAST_CONFIG },
  { title: "InstallationUpdatedEvent" },
);

export const ReadBackfillDoneSchema = Type.Object(
  { ...INSTALLATION, ...OBJECT },
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
    success: Type.Boolean({ description: "False as soon as one record failed." }),
    successfulRecordIds: texts("The provider's ids of the records that were written."),
    errors: texts("One sentence per failed record, or one for the whole write."),
    // Ours: published schemas do not have it and do not mind it.
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
    errors: texts("What went wrong, in sentences."),
    error: texts("The same list under its older name."),
  },
  { title: "ConnectionErrorEvent" },
);

export const DestinationWebhookDisabledSchema = Type.Object(
  {
    projectId: Type.String(),
    destinationId: Type.String(),
    destinationName: Type.String({ description: "Name of the destination." }),
    url: Type.String({ description: "Where nothing is sent any more." }),
  },
  { title: "DestinationWebhookDisabledEvent" },
);
