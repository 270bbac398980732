/** The part of a description that tells which fields an object has: known ones, and those that the account names. */
import { Type, type Static } from "typebox";
import { Paging } from "./paging-rules.ts";

const text = (description: string) => Type.String({ description });
const optional = (description: string) => Type.Optional(Type.String({ description }));

const Kind = Type.Union([
  Type.Literal("string"),
  Type.Literal("boolean"),
  Type.Literal("date"),
  Type.Literal("datetime"),
  Type.Literal("singleSelect"),
  Type.Literal("multiSelect"),
  Type.Literal("int"),
  Type.Literal("float"),
  Type.Literal("reference"),
  Type.Literal("other"),
]);

/** True if each of these members has one of these values, or none of them. */
const Flag = Type.Object({
  paths: Type.Array(Type.String()),
  is: Type.Optional(
    Type.Array(Type.String(), { description: "As text; `none` for a member that is missing or null." }),
  ),
  isNot: Type.Optional(Type.Array(Type.String(), { description: "The same; instead of `is`." })),
});

const KnownField = Type.Object({
  type: Kind,
  label: optional("Default: the name."),
  readOnly: Type.Optional(Type.Boolean()),
  required: Type.Optional(Type.Boolean({ description: "A create without it is refused." })),
  values: Type.Optional(Type.Array(Type.String(), { description: "The values that can be chosen." })),
  refersTo: Type.Optional(Type.Array(Type.String(), { description: "Objects." })),
});

/** A request that lists the account's fields. Paths lead into an entry of the list. */
const FieldList = Type.Object({
  path: text("Path below the base URL; `{path}` and `{singular}` are filled, in `query` and `body` as well."),
  method: Type.Optional(
    Type.Union([Type.Literal("GET"), Type.Literal("POST")], { description: "Default: `GET`." }),
  ),
  body: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "Members of the body, by path." }),
  ),
  query: Type.Optional(Type.Record(Type.String(), Type.String())),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  records: text("Path of the list of fields in the answer; empty: the answer itself."),
  keyed: Type.Optional(
    Type.Boolean({
      description:
        "The fields are the members of an object instead: the name of a member goes to `name`, and a member that is a text to `type`.",
    }),
  ),
  paging: Type.Optional(Paging),
  skip: Type.Optional(Type.Array(Flag, { description: "Entries with any of these flags are no fields." })),
  name: text("Path of the name."),
  nameHasDots: Type.Optional(
    Type.Boolean({ description: "`a.b` is the member `b` of the record's member `a`." }),
  ),
  label: optional("Path of the label."),
  explanation: optional("Path of the provider's explanation."),
  type: text("Path of the type."),
  types: Type.Record(Type.String(), Kind, { description: "Kind of a field by the provider's type." }),
  custom: Type.Optional(Flag),
  customIn: optional(
    "Member of a record that holds the custom fields. Without `custom`, all fields of the list are custom.",
  ),
  readOnly: Type.Optional(Flag),
  required: Type.Optional(Flag),
  options: Type.Optional(
    Type.Object({
      at: text("Path of the list of values that can be chosen; `{type}` in it is the type."),
      value: optional("Path of the value. Default: the entry itself."),
      label: optional("Path of its label."),
    }),
  ),
  refersTo: optional("Path of the object that a reference points to."),
});

export const Metadata = Type.Object({
  label: optional("The provider's name of the object, for people."),
  fields: Type.Optional(
    Type.Record(Type.String(), KnownField, { description: "Fields that every account has." }),
  ),
  list: Type.Optional(FieldList),
});

export type KnownFields = NonNullable<MetadataRules["fields"]>;
export type MetadataRules = Static<typeof Metadata>;
export type FieldListRules = Static<typeof FieldList>;
export type FlagRules = Static<typeof Flag>;
