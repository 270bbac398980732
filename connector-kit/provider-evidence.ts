/** Against what the actions of a provider's objects were verified: what `GET /v1/providers` and the provider's page say. */
import { Type, type Static } from "typebox";

/** What an object's action says where no source was found for it. */
export const UNVERIFIED = "unverified";

export const EvidenceSchema = Type.Object(
  {
    sources: Type.Record(
      Type.String(),
      Type.Object({
        kind: Type.String({
          description:
            "`vendor-openapi`, `vendor-sdk`, `vendor-docs` or `vendor-schema`: the vendor's own word; `third-party`: a copy or a recording " +
            "by somebody else.",
        }),
        name: Type.String({ description: "Repository and file, or address of the page." }),
        version: Type.Optional(Type.String({ description: "Version that the source names, or its commit." })),
        date: Type.String({ description: "Day of that version, or the day on which it was read." }),
      }),
      { description: "Where the facts come from, by key." },
    ),
    objects: Type.Record(
      Type.String(),
      Type.Record(Type.String(), Type.String(), {
        description:
          "By action (`read`, `changes`, `create`, `update`, `upsert`, `delete`): the key of the source that the connector's requests " +
          "and its reading of answers are tested against, or `unverified`.",
      }),
      { description: "The objects that are known by name." },
    ),
    notRead: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description:
          "By object: what the provider leaves out of its list and nothing asks for, as `contacts that were merged into others`: records, " +
          "or fields that only the answer for one record has. No read has it.",
      }),
    ),
    faults: Type.Optional(
      Type.Array(Type.String(), { description: "What is known to be wrong and is not mended yet." }),
    ),
  },
  {
    title: "ProviderEvidence",
    description:
      "Busbar's own: against which source, and of which date, each action of each object was verified. A provider without this member is " +
      "unverified.",
  },
);

export type ProviderEvidence = Static<typeof EvidenceSchema>;
