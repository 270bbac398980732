/** The part of the facts that is about values in answers: wrapped ones, and fields without one. */
import { Type, type Static } from "typebox";
import { buildUnion, closed, optional, text } from "./paging-facts.ts";

export const ValueFact = closed(
  {
    source: text("Key in `sources`; `key#place` for a place in it."),
    objects: Type.Array(Type.String()),
    at: text("Path of the member of a record that has the field; empty: the record itself."),
    field: text("A field of this kind, by the vendor's name or one of the account."),
    shown: Type.Unknown({ description: "The field in an answer, as the vendor's material shows it." }),
    means: Type.Unknown({ description: "The value that the vendor says it has." }),
    plainBy: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Parameters with which a list shows the value as it is: `query.<name>` and its value.",
      }),
    ),
    sent: Type.Optional(
      Type.Unknown({ description: "What a write of that value has there. Absent: it is not written." }),
    ),
  },
  "A field whose value is wrapped in an answer, or that is a level below the others.",
);

export const EmptyFieldsFact = closed(
  {
    source: text("Key in `sources`; `key#place` for a place in it."),
    shown: buildUnion(
      ["absent", "null", "empty", "mixed"],
      "What a record has in place of such a field: no member, null, or an empty text. `mixed`: some fields so, others so.",
    ),
    objects: Type.Optional(
      Type.Array(Type.String(), { description: "The objects that the source is about. Absent: all." }),
    ),
    what: optional("The fields that it is about, where it is not about all, for example `custom fields`."),
  },
  "How records show fields without a value.",
);

export type EmptyFieldsFact = Static<typeof EmptyFieldsFact>;

/** Returns whether records of the object have no member for a field without a value. */
export const leavesOutEmpty = (
  { emptyFields = [] }: { emptyFields?: EmptyFieldsFact[] },
  objectName: string,
): boolean =>
  emptyFields.some(
    ({ shown, objects, what }) =>
      shown === "absent" && what === undefined && (objects?.includes(objectName) ?? true),
  );
