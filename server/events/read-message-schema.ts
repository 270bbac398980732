/** Schemas of the messages that carry records, as receivers get them. */
import { Type, type Static } from "typebox";
import type { JsonObject } from "../../ground/json.ts";
import { described, describeTime } from "../../ground/described.ts";

export const members = (description: string) =>
  Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown(), { description }));

const AssociationSchema = Type.Object(
  {
    id: Type.String({ description: "The provider's id of the associated record." }),
    raw: Type.Optional(members("The associated record as the provider returned it, where it does.")),
    providerAssociationMetadata: Type.Optional(
      members("What the provider says about the association, for example its types."),
    ),
  },
  { title: "AssociatedRecord", description: "A record that is associated with another." },
);

/** Times by which a receiver keeps the newest version of a record, in whatever order versions arrive. */
export const VERSION_TIMES = {
  changeTime: Type.Optional(
    describeTime(
      "Of entries in messages: the record's own time of its last change, as the provider tells it; for a deletion the time of the deletion. Of two versions " +
        "of a record, the later one is the newer. Absent where the provider tells none.",
    ),
  ),
  readTime: Type.Optional(
    describeTime(
      "Of entries in messages: when the provider's answer had come. It decides between equal times of change.",
    ),
  ),
};

const operation = (description: string) =>
  Type.Optional(
    Type.Object({ operationId: Type.String({ description: "Id of the operation." }) }, { description }),
  );

/** Which write of Busbar's an entry shows. */
export const CAUSED_BY = {
  causedBy: operation(
    "Of entries in messages: the write of yours that made the change, where that is known. Of several changes in one entry: the " +
      "newest, if each was one. Automation of the account that ran within the write is part of it.",
  ),
  possiblyCausedBy: operation(
    "Of entries in messages: a write of yours at the time of the change, where the provider does not tell whether the entry shows " +
      "nothing else. Such an entry is always delivered.",
  ),
};

/** A record as runs, searches and sample reads give it. */
const ResultEntrySchema = Type.Object(
  {
    id: Type.String({ description: "The provider's id of the record." }),
    ...VERSION_TIMES,
    ...CAUSED_BY,
    fields: members("Fields that are not mapped, by the provider's names in lower case."),
    mappedFields: members("Mapped fields, by your names; names in brackets as nested objects."),
    associations: Type.Optional(
      Type.Record(Type.String(), Type.Array(AssociationSchema), {
        description: "Associated records by the name in `associatedObjects`; absent if there are none.",
      }),
    ),
    raw: members("The record exactly as the provider returned it."),
    deleted: Type.Optional(
      Type.Literal(true, { description: "The record was deleted. Needs `deletedRecords: always`." }),
    ),
    deletedTime: Type.Optional(describeTime("When the record was deleted, as far as the provider says.")),
  },
  { title: "ResultEntry", description: "A record that was read." },
);

export const ResultInfoSchema = Type.Object(
  {
    type: Type.Union([Type.Literal("inline"), Type.Literal("url")], {
      description: "`inline`: the records are in `result`. `url`: they are at `downloadUrl`.",
    }),
    numRecords: Type.Integer({ description: "Number of records." }),
    downloadUrl: Type.Optional(
      Type.String({
        format: "uri",
        description:
          "Serves the records as a JSON array, without credentials, for 15 minutes. It is new in every attempt.",
      }),
    ),
  },
  { title: "ResultInfo", description: "Where the records are." },
);

/** Members that data messages of every action have, in the order in which they are sent. */
export const DATA_MESSAGE = {
  projectId: Type.String({ description: "Id of the project." }),
  provider: Type.String({ description: "The provider's name in the catalog (`GET /v1/providers`)." }),
  groupRef: Type.String({ description: "Your own id for the customer." }),
  groupName: Type.String({ description: "Display name of the group." }),
  consumerRef: Type.String({ description: "Your own id for the person who connected." }),
  consumerName: Type.String({ description: "Display name of the person." }),
  installationId: Type.String({ description: "Id of the installation." }),
  installationUpdateTime: describeTime("Last update of the installation when the message was made."),
  objectName: Type.String({ description: "Your name of the object, or the provider's if it has no other." }),
  rawObjectName: Type.String({ description: "The provider's name of the object." }),
  workspace: Type.Optional(
    Type.String({ description: "The customer's workspace at the provider, where the connection has one." }),
  ),
};

const READ_MESSAGE_HEAD = {
  action: Type.Literal("read", { description: "The action that the message comes from." }),
  ...DATA_MESSAGE,
  operationId: Type.String({ description: "Id of the read operation." }),
  operationTime: describeTime(
    "When the records arrived from the provider: the later of two versions is the newer.",
  ),
  readType: Type.Union([Type.Literal("backfill"), Type.Literal("scheduled"), Type.Literal("triggered")], {
    description: "Why the records were read.",
  }),
};

const ReadMessageHeadSchema = Type.Object(READ_MESSAGE_HEAD);

/** A message with records, as a destination gets it. */
export const ReadMessageSchema = Type.Object(
  {
    ...READ_MESSAGE_HEAD,
    resultInfo: described(ResultInfoSchema, "Where the records are."),
    result: Type.Optional(
      Type.Array(ResultEntrySchema, { description: "The records, in the order in which they were read." }),
    ),
  },
  { title: "ReadMessage", description: "Records that were read." },
);

export type AssociationEntry = Static<typeof AssociationSchema>;
export type ResultEntry = Static<typeof ResultEntrySchema>;
/** Everything of a message but the records. */
export type ReadMessageHead = Static<typeof ReadMessageHeadSchema>;
