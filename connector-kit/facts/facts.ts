/**
 * What a vendor's own material says about its API: the form of `connectors/<provider>/facts.json`. Facts are never derived from
 * our description of the provider. What no source says is left out, and counts as unverified.
 */
import { Type, type Static } from "typebox";
import { closed, flag, integer, ListPaging, buildUnion, optional, text } from "./paging-facts.ts";
import { describeBatch, Composite, DeletionLog, Language, linkFact } from "./batch-facts.ts";
import { ErrorFacts } from "./error-facts.ts";
import { logFact } from "./log-facts.ts";
import { onRequest, request } from "./request-facts.ts";
import { EmptyFieldsFact, ValueFact } from "./value-facts.ts";

const TimeFormat = buildUnion([
  "rfc3339",
  "rfc3339-seconds",
  "date",
  "sql",
  "sql-zone",
  "unix",
  "unix-ms",
  "http",
  "json-date",
]);

const Source = closed(
  {
    kind: buildUnion(
      ["vendor-openapi", "vendor-sdk", "vendor-docs", "vendor-schema", "third-party"],
      "`third-party`: somebody else's connector, recording or copy; weaker than the vendor's own word.",
    ),
    repository: optional("`owner/name` of the public repository."),
    file: optional("Path in the repository."),
    url: optional("Address of the page, where there is no repository."),
    version: optional("Version that the file names, or its commit."),
    date: text("Day of that version, or else the day on which it was read: `2026-11-26`."),
  },
  "Where facts come from.",
);

const Sort = closed({
  default: Type.Optional(
    buildUnion(
      ["created", "created-desc", "changed", "changed-desc", "id", "id-desc", "updatable", "other", "none"],
      "Order without a parameter; `updatable`: by a member that an update can change, for example the name; `none`: the vendor promises none.",
    ),
  ),
  by: Type.Optional(
    Type.Record(
      Type.String(),
      buildUnion(["created", "created-desc", "changed", "changed-desc", "id", "id-desc"]),
      {
        description:
          "Orders that a request can have: `query.sort=updated` and what it sorts by; `query.sort=updated&query.order=desc` for two " +
          "names. A text that is contained is enough where the name has a `pattern`.",
      },
    ),
  ),
});

/** A request that lists records. */
const ListFact = closed({
  ...request,
  records: text("Path of the list of records in an answer; empty: the answer itself."),
  each: optional("Member of each entry that is the record."),
  below: optional(
    "GraphQL, of a list that is a member of what a root field gives, for example `boards.items_page`: the argument of the root field that " +
      "has the object's name.",
  ),
  entries: Type.Optional(
    buildUnion(["records", "ids"], "`ids`: entries have only the id; the record is read by `get`."),
  ),
  onlySingle: Type.Optional(
    closed(
      {
        fields: Type.Array(Type.String(), {
          description: "Paths of fields that only the answer to a request for one record has.",
        }),
        costly: flag(
          "An account can have so many records that a request for each is too much: these fields are not read.",
        ),
        source: optional("Key in `sources`, where it is another one."),
      },
      "What entries of the list lack, whatever is asked for.",
    ),
  ),
  whenEmpty: Type.Optional(
    buildUnion(
      ["list", "absent", "null", "204", "404"],
      "What an answer without records has in place of the list. Default: an empty list.",
    ),
  ),
  paging: ListPaging,
  language: Type.Optional(Language),
  since: Type.Optional(
    closed(
      {
        to: text("Where the bound goes: `query.<name>`, `body.<path>` or `header.<name>`."),
        template: optional("Text around the bound, with `{since}`."),
        format: TimeFormat,
        inclusive: flag("Whether records that changed exactly then are among them. Absent: unknown."),
        zone: Type.Optional(buildUnion(["UTC", "user"], "Zone of bounds without one.")),
        field: optional("Path of the time in a record that the bound is compared with."),
        oldestDays: integer("Older bounds are refused."),
        unchanged: integer("Status, without a body, where nothing has changed since: 304."),
        lateMinutes: integer(
          "Minutes until a change is in the list, where it is said, or was seen, that it takes as long as that, or longer.",
        ),
      },
      "How changes are asked for. Absent: the vendor's list has no such bound.",
    ),
  ),
  sort: Type.Optional(Sort),
  hidden: Type.Optional(
    Type.Array(
      closed({
        what: text("Records that the list leaves out by default, for example `canceled subscriptions`."),
        shownBy: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            description:
              "Parameters that bring them: `query.status` and its value; contained is enough where the name has a `pattern`. Absent: nothing does.",
          }),
        ),
        only: flag("With these parameters the list has these records only."),
        untimed: flag(
          "Nothing tells when a record came to be one of these, so that each read of changes is to have all of them.",
        ),
        alsoAt: optional("Path of another list that has them."),
        within: optional(
          "Path of further lists in the same answer that have them, for example `folders.*.goals`.",
        ),
        /** Members by which such a record is known, for example the one that it is below. */
        have: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        source: optional("Key in `sources`, where it is another one."),
      }),
    ),
  ),
  foreign: Type.Optional(
    Type.Array(
      closed({
        what: text("Records of others that the list has by default, for example `public projects`."),
        leftOutBy: Type.Record(Type.String(), Type.String(), {
          description:
            "Parameters that leave them out: `query.membership` and its value; `*` for any, such as the id of the account.",
        }),
        source: optional("Key in `sources`, where it is another one."),
      }),
    ),
  ),
  /** A list that tells deletions, too. */
  deleted: Type.Optional(
    closed({
      at: optional("Path in a record, for example `status`. Absent: only the list that has it tells it."),
      is: Type.Optional(
        Type.Union([Type.String(), Type.Boolean()], {
          description: "Its value for a deleted one, for example `cancelled`.",
        }),
      ),
      shownBy: Type.Optional(Type.Record(Type.String(), Type.String())),
      only: flag("With these parameters the list has deleted records only."),
      alsoAt: optional("Path of another list that has them, where this one never does."),
      time: optional("Path of the time of the deletion in a deleted record."),
      answered: flag("A deleted record is still answered by its id, with the mark."),
    }),
  ),
  fields: Type.Optional(
    closed(
      {
        to: text("Where the names of wanted fields go."),
        always: Type.Optional(
          Type.Array(Type.String(), { description: "Fields that answers have without asking." }),
        ),
        at: optional(
          "Path of the member of a record that has the named fields alone, besides `always`; all of them where none is named.",
        ),
        onRequest: Type.Optional(
          Type.Array(Type.String(), {
            description: "Fields, or values of the parameter, that are absent unless asked for.",
          }),
        ),
        most: integer("Names at most; more are refused. Answers then have the named fields only."),
        ids: optional("Where ids go that choose records, separated by commas."),
        brings: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            description:
              "Path in a record of what a value of the parameter brings, where it is not the value itself.",
          }),
        ),
      },
      "For lists that return some fields only on request.",
    ),
  ),
  onRequest,
});

/** A request that reads or writes one record. */
const RecordFact = closed({
  ...request,
  wrap: optional("Path of the member of the body that has the fields. Absent: the body itself."),
  record: optional("Path of the record in an answer; empty: the answer itself. Absent: the answer has none."),
  idTo: optional("Where the id goes, where it is not in the path: `body.<path>` or `query.<name>`."),
  textual: flag("The member at `wrap` is a text with the fields as JSON."),
  named: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "Names in a record of fields that have another name in the request, by the latter.",
    }),
  ),
  fieldsAt: optional(
    "Path in a record of the member that has the written fields, where `wrap` does not tell it.",
  ),
  replaces: Type.Optional(
    Type.Array(
      closed({
        at: text("Path in the record."),
        by: optional("Of a list: the member that tells which entry it is."),
      }),
      {
        description:
          "Of an update: objects of fields, and lists, that it replaces as a whole, so that what is left out is cleared.",
      },
    ),
  ),
  answerId: optional("Where the id is in an answer that is not the record: a path, or `header.<name>`."),
  keys: Type.Optional(
    Type.Array(Type.String(), { description: "Of an upsert: fields that may say which record is meant." }),
  ),
  keyNameTo: optional(
    "Of an upsert: where the names of the fields go by which the vendor finds the record. Without it, the vendor chooses, also by other fields.",
  ),
  keyTo: optional("Where the value of a key goes, where it is no field: `body.{key}`."),
  createdAt: optional("Of an upsert: path in an answer of whether the record was created."),
  keyIsId: flag("The value of the key is the id of the record."),
  idempotencyKey: optional("Where a key goes under which the vendor creates once."),
  missing: Type.Optional(
    Type.Unknown({
      description: "The body for a record that is not there, where its words differ by request.",
    }),
  ),
  missingStatus: integer("Status for a record that is not there. Default: 404."),
  deleted: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "Of a `get`: a deleted record is still answered, with its id and these members alone, for example `deleted: true`.",
    }),
  ),
  alsoAt: optional("Another address of the same request, for example by `{key}` and `{value}`."),
  fieldsTo: optional("Where the names of wanted fields go, separated by commas."),
  absent: flag("The vendor has no such request: it answers 404 or 405."),
  onRequest,
});

const Batch = describeBatch(request);
const LogFact = logFact(TimeFormat, Sort);

const ObjectFacts = closed({
  id: closed({
    path: text("Path of the id in a record."),
    type: buildUnion(["string", "integer", "uuid"]),
    example: optional("An id as the vendor's material shows one."),
    longest: integer("Characters at most."),
    pattern: optional("Form of a whole id, where the vendor names one."),
    caseSuffix: flag(
      "Three characters at the end say which of the fifteen before are capitals; requests may leave them out.",
    ),
  }),
  changed: Type.Optional(
    closed({ path: text("Path of the time of the last change in a record."), format: TimeFormat }),
  ),
  parent: Type.Optional(
    closed(
      {
        object: text("Object of these facts whose records have the lists."),
        by: optional("Path of the value in its records that `{parent}` stands for. Default: the id."),
      },
      "For lists with `{parent}` in the path.",
    ),
  ),
  created: Type.Optional(
    closed({ path: text("Path of the time of the creation in a record."), format: TimeFormat }),
  ),
  fieldList: Type.Optional(
    closed(
      {
        at: text("Path of the list in a record."),
        name: text("Member of an entry that has the name of the field."),
        value: text("Member that has its value as text, or the first of several, with `|`, that has one."),
        source: optional(
          "Key in `sources` of what entries without a text have, where it is not that of the list.",
        ),
        names: optional("Regular expression of their names, where other fields are members of the record."),
      },
      "Records show fields as entries of a list.",
    ),
  ),
  fields: Type.Optional(
    closed(
      {
        source: text("Key in `sources`; `key#place` for a place in it."),
        path: text("Path below the base URL of the `GET` that tells them."),
        query: Type.Optional(
          Type.Record(Type.String(), Type.String(), { description: "Names of the query that it must have." }),
        ),
        body: Type.Unknown({ description: "What the vendor answers, shortened, as its material shows it." }),
        names: Type.Array(Type.String(), {
          description: "Fields that it names, by which records have them.",
        }),
      },
      "How the vendor tells the fields that the object has in an account.",
    ),
  ),
  list: Type.Optional(ListFact),
  /** Where changes are asked for by another request than all records. */
  changes: Type.Optional(ListFact),
  get: Type.Optional(RecordFact),
  create: Type.Optional(RecordFact),
  update: Type.Optional(RecordFact),
  upsert: Type.Optional(RecordFact),
  delete: Type.Optional(RecordFact),
  batch: Type.Optional(
    closed(
      {
        create: Type.Optional(Batch),
        update: Type.Optional(Batch),
        upsert: Type.Optional(Batch),
        read: Type.Optional(Batch),
      },
      "Requests with several records.",
    ),
  ),
  links: Type.Optional(linkFact(request)),
  deletionLog: Type.Optional(DeletionLog),
  deletions: Type.Optional(LogFact),
  example: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "A record as the vendor's material shows one, shortened.",
    }),
  ),
  unverified: Type.Optional(
    Type.Array(Type.String(), { description: "What no source was found for, one sentence each." }),
  ),
});

const Common = Type.Optional(Type.Record(Type.String(), Type.Unknown()));

const Graphql = closed(
  {
    source: text("Key in `sources` of the schema of which `facts.graphql` is an excerpt."),
    path: text("Path of all requests below the base URL; `/` is the base URL itself."),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Headers by which a request asks for the version of the schema; others are refused.",
      }),
    ),
    common: Type.Optional(
      closed(
        { list: Common, get: Common, create: Common, update: Common, delete: Common },
        "What all requests of a kind have, unless they say otherwise themselves.",
      ),
    ),
  },
  "Of vendors that speak GraphQL. Their schema stands in `facts.graphql`: the types that the facts are about, without descriptions.",
);

export const FactsSchema = closed({
  provider: text("Key of the catalog."),
  sources: Type.Record(Type.String(), Source),
  graphql: Type.Optional(Graphql),
  hosts: Type.Optional(
    Type.Array(Type.String(), {
      description: "Addresses of the API that the vendor names, also those of regions.",
    }),
  ),
  objects: Type.Record(Type.String(), ObjectFacts),
  composite: Type.Optional(Composite),
  longestAddress: integer("Longer addresses are refused with the status 414."),
  values: Type.Optional(Type.Array(ValueFact)),
  emptyFields: Type.Optional(Type.Array(EmptyFieldsFact)),
  errors: Type.Optional(ErrorFacts),
  /** Answers that do not depend on records, for example the fields of a table. */
  answers: Type.Optional(
    Type.Array(
      closed({
        source: text("Key in `sources`."),
        method: buildUnion(["GET", "POST"]),
        path: text("Path below the base URL, without placeholders."),
        body: Type.Unknown({ description: "What the vendor answers with the status 200." }),
      }),
    ),
  ),
  /** Where sources disagree, or mislead; one sentence each. */
  notes: Type.Optional(Type.Array(Type.String())),
});

export type Facts = Static<typeof FactsSchema>;
export type ObjectFacts = Static<typeof ObjectFacts>;
export type ListFact = Static<typeof ListFact>;
export type RecordFact = Static<typeof RecordFact>;
export type LogFact = Static<typeof LogFact>;
export type BatchFact = Static<typeof Batch>;
export type LinkFact = NonNullable<ObjectFacts["links"]>;
export type { Parameter } from "./request-facts.ts";
