/** Schema of the messages about changes of records, as receivers get them. */
import { Type, type Static } from "typebox";
import { described } from "../../ground/described.ts";
import { CAUSED_BY, DATA_MESSAGE, members, ResultInfoSchema, VERSION_TIMES } from "./read-message-schema.ts";

const RecordAtEndSchema = Type.Object(
  {
    id: Type.String({ description: "The provider's id of the record." }),
    objectName: Type.Optional(
      Type.String({ description: "Your name of the object, or the provider's if it has no other." }),
    ),
    rawObjectName: Type.Optional(Type.String({ description: "The provider's name of the object." })),
    fields: Type.Optional(members("As in entries. Needs `includeFullRecords: true`, as the next two.")),
    mappedFields: Type.Optional(members("As in entries.")),
    raw: Type.Optional(members("As in entries.")),
  },
  { title: "AssociatedRecordOfEvent", description: "A record at one end of an association." },
);

const SubscribeEntrySchema = Type.Object(
  {
    id: Type.String({ description: "The provider's id of the record." }),
    ...VERSION_TIMES,
    subscribeEventType: Type.Union(
      [
        Type.Literal("create"),
        Type.Literal("update"),
        Type.Literal("delete"),
        Type.Literal("associationUpdate"),
        Type.Literal("other"),
      ],
      { description: "What happened." },
    ),
    providerEventType: Type.String({
      description:
        "The provider's own word. `RECONCILED`: found by reading, because events may have been missed.",
    }),
    ...CAUSED_BY,
    fieldsUpdated: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Of updates: the provider's names of the changed fields, as far as the provider tells them.",
      }),
    ),
    fields: Type.Optional(
      members(
        "Fields that are not mapped, as the record is now. Empty if the record does not exist any more.",
      ),
    ),
    mappedFields: Type.Optional(members("Mapped fields, by your names; likewise.")),
    raw: Type.Optional(
      members("The record as the provider returned it; absent if it does not exist any more."),
    ),
    fromRecord: Type.Optional(
      described(RecordAtEndSchema, "Of `associationUpdate`: the record of the event."),
    ),
    toRecord: Type.Optional(
      described(RecordAtEndSchema, "Of `associationUpdate`: the record at the other end."),
    ),
    rawEvent: members("The provider's event. Of several that became one entry: the newest, or the creation."),
  },
  { title: "SubscribeEntry", description: "A change of one record." },
);

const SUBSCRIBE_MESSAGE_HEAD = {
  action: Type.Literal("subscribe", { description: "The action that the message comes from." }),
  ...DATA_MESSAGE,
};

const SubscribeMessageHeadSchema = Type.Object(SUBSCRIBE_MESSAGE_HEAD);

/** A message about changes, as a destination gets it. */
export const SubscribeMessageSchema = Type.Object(
  {
    ...SUBSCRIBE_MESSAGE_HEAD,
    resultInfo: described(ResultInfoSchema, "Number of entries, and where they are."),
    result: Type.Optional(
      Type.Array(SubscribeEntrySchema, { description: "The changes, in the order in which they happened." }),
    ),
  },
  { title: "SubscribeMessage", description: "Changes of records." },
);

/** Everything of a message but the entries. */
export type SubscribeMessageHead = Static<typeof SubscribeMessageHeadSchema>;
