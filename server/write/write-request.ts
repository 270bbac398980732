/** The body of the write endpoint. */
import { Type, type Static } from "typebox";

const Fields = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "Field names and values. An update needs `id`, the provider's record id; a delete has `id` only.",
});

const AssociationSchema = Type.Object(
  {
    to: Type.Object(
      {
        id: Type.String({ minLength: 1, description: "Id of the record to associate with." }),
      },
      { description: "The record to associate with." },
    ),
    types: Type.Array(
      Type.Object({
        associationCategory: Type.String({ description: "For example `HUBSPOT_DEFINED`." }),
        associationTypeId: Type.Integer({ description: "HubSpot's id of the association type." }),
      }),
      { minItems: 1, description: "Types of the association." },
    ),
  },
  {
    title: "RecordAssociation",
    description: "A record to associate with, and the types of the association.",
  },
);

const Associations = Type.Array(AssociationSchema, {
  description: "Records to associate a new record with. Needs the provider's `features.associations`.",
});

export const WriteRequestSchema = Type.Object(
  {
    groupRef: Type.String({
      minLength: 1,
      description: "The customer group whose installation is written to.",
    }),
    type: Type.Enum(["create", "update", "delete", "upsert"], {
      description:
        "`upsert` (Busbar's own) updates the record whose `key` has the same value, or creates it.",
    }),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "Upsert only: the field, by your name or the provider's, whose value names the record; unique at the provider.",
      }),
    ),
    mode: Type.Optional(
      Type.Enum(["synchronous", "asynchronous"], {
        description: "`synchronous` (default) waits for the provider. A delete is always synchronous.",
      }),
    ),
    record: Type.Optional(Fields),
    batch: Type.Optional(
      Type.Array(Type.Object({ record: Fields, associations: Type.Optional(Associations) }), {
        minItems: 1,
        maxItems: 100,
        description: "1 to 100 records instead of `record`. Not for a delete.",
      }),
    ),
    batchPolicy: Type.Optional(
      Type.Object(
        {
          allOrNone: Type.Optional(
            Type.Boolean({ description: "Write all records or none. Default false." }),
          ),
        },
        { description: "Options of a batch." },
      ),
    ),
    associations: Type.Optional(Associations),
    headers: Type.Optional(
      Type.Array(
        Type.Object({
          key: Type.String({ minLength: 1, description: "Name of the header." }),
          value: Type.String({ description: "Value of the header." }),
        }),
        {
          description: "Headers to pass to the provider. Needs the provider's `features.writeHeaders`.",
        },
      ),
    ),
    retryPolicy: Type.Optional(
      Type.Object(
        {
          deadlineHours: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 48,
              description: "Hours after which the write fails. Default 1.",
            }),
          ),
          onUnknownOutcome: Type.Optional(
            Type.Enum(["fail", "retry"], {
              description: "Busbar's own: what to do with a create whose answer was lost. Default `fail`.",
            }),
          ),
        },
        { description: "Retries of an asynchronous write." },
      ),
    ),
    autoBatchPolicy: Type.Optional(
      Type.Object(
        {
          maxDelayMinutes: Type.Integer({
            minimum: 1,
            maximum: 1440,
            description: "Maximum minutes that the first record waits for others.",
          }),
          retryDeadlineHours: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 48,
              description: "Hours after which the batch fails. Default 1.",
            }),
          ),
        },
        {
          description:
            "Auto-batching: collects asynchronous writes of the same object and type into batches. All requests of a " +
            "batch share one operation; `retryPolicy` is ignored.",
        },
      ),
    ),
  },
  {
    title: "WriteRequest",
    description: "One record, or a batch of them, to create, update, upsert or delete.",
  },
);

export type WriteRequest = Static<typeof WriteRequestSchema>;
