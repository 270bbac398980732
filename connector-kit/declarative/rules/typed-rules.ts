/** The part of a description that tells how fields are read and written that come with their type. */
import { Type, type Static } from "typebox";

export const TypedValues = Type.Object(
  {
    type: Type.String({ description: "Path of the type in an entry." }),
    values: Type.Record(Type.String(), Type.String(), {
      description:
        "Path of the value in an entry by type; empty: the entry itself. Of several with `|`, the first that is there. With `*`, the field " +
        "is a list of what is in each entry of a list. Entries of other types have the path of `*`; without it, they stay as they are.",
    }),
    lists: Type.Optional(
      Type.Array(Type.String(), {
        description: "Types whose fields are lists even if they have one entry.",
      }),
    ),
    texts: Type.Optional(
      Type.Array(Type.String(), { description: "Types whose path with `*` leads to the parts of one text." }),
    ),
    single: Type.Optional(Type.Boolean({ description: "A field is one entry, not a list of entries." })),
    writes: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "For providers that take fields in this form, too: path of the value in what is sent, by type. `0` makes a list with one " +
          "entry, `*` an entry for each value. The types are asked of the account before a write, by `metadata.list`. A value that is " +
          "an object is sent as it is.",
      }),
    ),
  },
  {
    description:
      "For providers that return each field, in the member `flatten`, as a list of entries with a type. Such a field is read as its " +
      "value, a list of values, or null, and written as a value or a list of values.",
  },
);

export type TypedRules = Static<typeof TypedValues>;
