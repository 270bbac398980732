/** The form of a declarative connector: a provider's objects, requests, answers and errors as data, without expressions. */
import { Type, type Static } from "typebox";
import { Batch } from "./batch-rules.ts";
import { Graphql, GraphqlEndpoint } from "./graphql-rules.ts";
import {
  deletedMark,
  bodyMembers,
  FurtherList,
  ListRequest,
  Method,
  optional,
  Since,
  target,
  text,
  texts,
  TimeFormat,
} from "./list-rules.ts";
import { Metadata } from "./metadata-rules.ts";
import { Paging } from "./paging-rules.ts";
import { TypedValues } from "./typed-rules.ts";
import { accepted, completeUpdate, FieldMask, KeyHash, Written } from "./write-rules.ts";

const Mode = Type.Union([
  Type.Literal("read"),
  Type.Literal("create"),
  Type.Literal("update"),
  Type.Literal("delete"),
]);
const Kind = Type.Union([
  Type.Literal("unauthorized"),
  Type.Literal("forbidden"),
  Type.Literal("not_found"),
  Type.Literal("invalid"),
  Type.Literal("conflict"),
  Type.Literal("rate_limited"),
  Type.Literal("unavailable"),
  Type.Literal("unknown_outcome"),
]);

/** What writes have besides path and fields; deletes may have it, too. */
const beside = {
  accepted: Type.Optional(accepted),
  headers: texts("Further headers."),
  body: bodyMembers(
    "Members of the body around the fields, by path. `{path}`, `{singular}` and values of the connection are filled in texts.",
  ),
  also: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean(), Type.Number()]), {
      description: "Members that go with the fields; a field of the same name takes precedence.",
    }),
  ),
  idTo: Type.Optional(target("Where else the id goes, for example `body.id`.")),
  readBefore: Type.Optional(
    Type.Object(
      {
        from: text("Path of the value in the record."),
        to: target("Where it goes: `query.<name>` or `body.<path>`."),
      },
      {
        description:
          "A value of the record that the request must repeat, for example its version. The record is read before each request.",
      },
    ),
  ),
};

/**
 * `{path}`, `{singular}` and `{id}` in a path are filled; in that of a create also `{field.<name>}`, in that of an upsert also `{key}`
 * and `{value}`.
 */
const writeRequest = {
  method: Method,
  path: text("Path below the base URL."),
  wrap: Type.Optional(
    Type.Object(
      {
        in: optional("Path of the member that holds the fields, for example `data` or `{singular}`."),
        text: Type.Optional(
          Type.Boolean({ description: "The member at `in` is a text with the fields as JSON." }),
        ),
        listAt: optional("Path of a list that holds the fields as its only entry."),
        jsonApi: Type.Optional(
          Type.Boolean({ description: "`data` with `type`, `id`, `attributes` and `relationships`." }),
        ),
        form: Type.Optional(Type.Boolean({ description: "Form encoding with `a[b]=c` for nested members." })),
      },
      { description: "What is around the fields in the body. Absent: the body is the fields as JSON." },
    ),
  ),
  ...beside,
  fieldsTo: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "Where fields go that are not among the others: `query.<name>` or `body.<path>` by name.",
    }),
  ),
  empty: Type.Optional(
    Type.Boolean({ description: "The answer has no body, or is not the record, which is read back." }),
  ),
  id: optional(
    "Where the id is in an answer that is not the record: a path, or `header.<name>` for the last part of an address in a header. The " +
      "record is read back.",
  ),
};
const WriteRequest = Type.Object(writeRequest);
const UpdateRequest = Type.Object({
  ...writeRequest,
  ...completeUpdate,
  fieldMask: Type.Optional(FieldMask),
});

const CreateRequest = Type.Object({
  ...writeRequest,
  idempotencyKeyTo: optional(
    "Where a key goes under which the provider creates only one record: `header.<name>`, `query.<name>` or `body.<path>`. A create " +
      "whose answer was lost is then repeated under it.",
  ),
  idempotencyKeyMinutes: Type.Optional(
    Type.Integer({
      description:
        "How long the provider documents that it knows a key. A create whose answer was lost is then repeated for so long, also after a " +
        "restart of Busbar. Absent: it is repeated once, at once.",
    }),
  ),
});

/** A request that creates the record or updates the one whose key has the same value. */
const UpsertRequest = Type.Object({
  ...writeRequest,
  keys: Type.Array(Type.String(), {
    description: "Fields that may be the key. Where `{value}` is in the path, the key leaves the fields.",
  }),
  keyHash: Type.Optional(KeyHash),
  keyValueTo: Type.Optional(
    target("Where the value of the key goes, for example `body.{key}`; it then leaves the fields."),
  ),
  keyIsId: Type.Optional(Type.Boolean({ description: "The value of the key is the id of the record." })),
  keyNameTo: Type.Optional(target("Where the name of the key goes, for example `body.upsert_key`.")),
  keyNameList: Type.Optional(Type.Boolean({ description: "The name goes as the only entry of a list." })),
});

const DeleteRequest = Type.Object({ method: Method, path: text("Path below the base URL."), ...beside });

const ObjectRulesSchema = Type.Object({
  path: optional("What `{path}` stands for. Default: the object's name."),
  singular: optional("What `{singular}` stands for."),
  modes: Type.Optional(
    Type.Array(Mode, { description: "What can be done with the object. Default: all four." }),
  ),
  idPath: optional("Path of the id in a record. Default: `id`."),
  idPattern: optional("Regular expression of a whole id of this object. Default: `ids.pattern`."),
  changedPath: optional("Path of the time of the last change in a record."),
  changedFormat: Type.Optional(
    Type.Union(TimeFormat.anyOf, {
      description:
        "How that time is written, where it is not as in `since`, for the simulation. Reads know RFC 3339, seconds and milliseconds, " +
        "and `json-date`: `/Date(1763629200000+0000)/`.",
    }),
  ),
  parent: Type.Optional(
    Type.Object(
      {
        object: text("The object whose records have the lists; it is read first."),
        by: optional("Path of the value in its records that `{parent}` stands for. Default: that of the id."),
        to: optional("Field of the records that then has this value, where they do not name it themselves."),
      },
      {
        description:
          "For lists of which there is one for each record of another object: `{parent}` in `list` is filled for each of them.",
      },
    ),
  ),
  list: Type.Optional(ListRequest),
  furtherLists: Type.Optional(
    Type.Array(FurtherList, {
      description:
        "Where one list does not have all records of the object, for example inactive or deleted ones: the others, read after it.",
    }),
  ),
  deleted: Type.Optional(
    Type.Object(deletedMark, {
      description:
        "For lists that name deleted records, too: what tells them from others. They are delivered as deletions, not as records.",
    }),
  ),
  records: optional(
    "Path of the list of records in an answer; empty: the answer itself. In `outer.*.members`, the lists of all entries of `outer` are joined.",
  ),
  absentWhenEmpty: Type.Optional(
    Type.Boolean({
      description:
        "An answer without records leaves the list out; what is around the list is there. A list that is null, or left out beside a member " +
        "that `paging` or `total` names, is empty in any case.",
    }),
  ),
  emptyWhen: optional(
    "Part of the reason with which the provider refuses a list that has no records, instead of an empty list.",
  ),
  readEach: Type.Optional(
    Type.Boolean({ description: "Entries of the list have only the id: each record is read by `get`." }),
  ),
  each: optional("Member of each entry of the list that is the record; `{singular}` is filled."),
  flatten: optional("Member of a record whose members are fields, too, for example `attributes`."),
  emptyLeftOut: Type.Optional(
    Type.Boolean({
      description:
        "Records have no member for a field without a value, and the account can rename fields, which nothing tells. A field that a reader names is " +
        "then `null` where a record does not have it, but another one does: on a page of the same read or, for changes and single records, on the " +
        "first page of the whole list, which is requested once for it. One that none of them has stays absent. Without this rule, reads deliver a field as " +
        "`null` that records of the object had before, unless `metadata` does not list it any more, or changes have a list of their own (`since.path`, `since.list`).",
    }),
  ),
  renamable: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description:
        "Members of a record whose own members have names that the account can change, such as `custom_fields`. One that no record of a read has " +
        "may have another name by now: it stays absent, also where records had it before.",
    }),
  ),
  flattenBy: optional(
    "The member in `flatten` is a list: path of the field's name in an entry. Needs `typedValues` with `single`.",
  ),
  typedValues: Type.Optional(TypedValues),
  paging: Type.Optional(Paging),
  since: Type.Optional(Since),
  total: optional(
    "Path of the number of all records in the answer of a list. A list that ends before it has so many fails.",
  ),
  select: Type.Optional(
    Type.Object(
      {
        to: text("Where the names go: `query.<name>`, separated by commas, or `body.<path>` as a list."),
        separator: optional("Between two names in the query, instead of a comma."),
        most: Type.Optional(
          Type.Integer({
            description:
              "Names of one request at most. Further fields of a page are asked for by the ids of its records. Needs `ids`; single records are " +
              "then read without names, with all fields.",
          }),
        ),
        ids: Type.Optional(
          Type.Object(
            {
              to: text("Where the ids go: `query.<name>`, separated by commas."),
              most: Type.Integer({ description: "Ids of one request at most." }),
            },
            { description: "How the list is asked for certain records." },
          ),
        ),
        optional: Type.Optional(
          Type.Array(Type.String(), {
            description:
              "For providers that return all but some fields, of which not every account may name each. Only these are named, and only where they are " +
              "wanted, beside the names that the list has in its query.",
          }),
        ),
      },
      {
        description:
          "For providers that return only named fields: where the names of the wanted fields go. Names that the list itself has there, in body or query, are " +
          "for reads of all fields. The id and the member at `changedPath` are named too, unless `flatten` is set, because they are then beside the fields.",
      },
    ),
  ),
  create: Type.Optional(CreateRequest),
  update: Type.Optional(UpdateRequest),
  upsert: Type.Optional(UpsertRequest),
  delete: Type.Optional(DeleteRequest),
  get: Type.Optional(
    Type.Object({
      path: text("Path of one record."),
      method: Type.Optional(Type.Union(Method.anyOf, { description: "Default: `GET`." })),
      headers: texts("Further headers."),
      body: bodyMembers("Members of the body, by path."),
      idTo: Type.Optional(target("Where the id goes, for example `body.ids.0`, instead of the path.")),
      record: optional("Path in the answer."),
      deleted: Type.Optional(
        Type.Object(deletedMark, {
          description:
            "Where a deleted record is still answered, although no list has it: what tells it. It then counts as gone.",
        }),
      ),
    }),
  ),
  record: optional("Path of the record in the answer of a write; empty: the answer itself."),
  written: Type.Optional(Written),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Paths of what the answer to the write of one record says beside it, for example which fields the provider ignored. It becomes a warning.",
    }),
  ),
  graphql: Type.Optional(Graphql),
  batch: Type.Optional(Batch),
  metadata: Type.Optional(Metadata),
  example: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "Fields of a record, for the simulation." }),
  ),
});

/** Objects whose names only the account knows, and which have one form. */
const named = {
  pattern: text(
    "Regular expression of a whole name, which `{path}` stands for, or for the group `(?<path>…)` in it.",
  ),
  like: text("A name of this form, for tests and examples."),
  rules: Type.Object(ObjectRulesSchema.properties, {
    description: "Their members are those of an object in `objects`.",
  }),
};

export const DescriptionSchema = Type.Object({
  module: optional("The provider's module to which the objects belong, where it has modules."),
  ids: Type.Optional(
    Type.Object({
      pattern: optional("Regular expression of a whole id."),
      number: Type.Optional(Type.Boolean({ description: "Ids are numbers in JSON." })),
    }),
  ),
  defaults: ObjectRulesSchema,
  objects: Type.Record(Type.String(), ObjectRulesSchema),
  others: Type.Optional(
    Type.Object(
      {
        ...named,
        further: Type.Optional(
          Type.Array(Type.Object(named), {
            description: "Names of other forms. Their members are those of `others`.",
          }),
        ),
      },
      { description: "Objects whose names only the account knows, for example its tables." },
    ),
  ),
  graphql: Type.Optional(GraphqlEndpoint),
  errors: Type.Object({
    okWhen: optional("`path=value` that a success has although the status is 200."),
    refusedBy: optional(
      "Path of the reasons, a list or an object, that only refusals have, also those with the status 200.",
    ),
    message: Type.Array(Type.String(), {
      description:
        "Paths of the reason; the first that is there. `a|b` in a path is the first of two members.",
    }),
    field: optional(
      "Member of an entry of a list of reasons that names the field which the reason is about. It stands before the reason.",
    ),
    plainText: Type.Optional(
      Type.Boolean({ description: "Refusals can be plain text, which then is the reason." }),
    ),
    code: optional("Path of the provider's code."),
    furtherCode: optional("Path of the code in answers that have none at `code`."),
    codes: Type.Optional(
      Type.Record(Type.String(), Kind, {
        description:
          "Kind of an error by code. `unknown_outcome` is that of a fault inside the provider, which may have done a part all the same: a " +
          "create is not sent again then.",
      }),
    ),
    texts: Type.Optional(
      Type.Record(Type.String(), Kind, {
        description:
          "Kind of an error by a part of its reason, where the provider has neither code nor status for it.",
      }),
    ),
    statuses: Type.Optional(Type.Record(Type.String(), Kind, { description: "Kind of an error by status." })),
    marks: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Paths of which each refusal of the provider has one, where `message` and `code` do not tell it from the answer of something in between, such as " +
          '`{"message": "Access denied"}` of a gateway.',
      }),
    ),
  }),
  limits: Type.Optional(
    Type.Object({
      reset: optional("Header with the time of the reset: seconds, or seconds or milliseconds since 1970."),
      waitSeconds: Type.Optional(
        Type.Integer({ description: "Seconds to wait where a refusal names no time. Default: 10." }),
      ),
      perSecond: Type.Optional(Type.Integer({ description: "Requests of a connection per second." })),
    }),
  ),
  sources: Type.Object({
    documentation: text("URL of the provider's documentation."),
    checked: text("When, and against what, the description was checked."),
  }),
});

export type Description = Static<typeof DescriptionSchema>;
export type ObjectRules = Static<typeof ObjectRulesSchema>;
export type WriteRules = Static<typeof WriteRequest>;
export type DeleteRules = Static<typeof DeleteRequest>;
export type UpsertRules = Static<typeof UpsertRequest>;
export type TimeForm = Static<typeof TimeFormat>;
