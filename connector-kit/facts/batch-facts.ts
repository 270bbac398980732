/** The part of the facts about requests with several records, about records that are linked, and about requests within a request. */
import { Type, type Static } from "typebox";
import { buildUnion, closed, flag, integer, optional, text } from "./paging-facts.ts";

const Failure = closed(
  {
    status: integer("Status of an answer in which some records failed."),
    list: text(
      "Path of the list that has the entries of failed records; that of the results: in their places.",
    ),
    entry: Type.Unknown({
      description: "An entry, with `REASON`, `TRACE` and `ID` in place of the reason, the mark and the id.",
    }),
    onlyMarked: flag(
      "Without a mark on each input, one failure refuses the whole request, and nothing is done.",
    ),
    missing: Type.Optional(
      Type.Unknown({ description: "The entry of a record that is not there, where it has another form." }),
    ),
  },
  "How a record that cannot be written is reported. Absent: the whole request is refused.",
);

/** Returns the schema of a request that writes or reads several records; `request` is what all requests have. */
export const describeBatch = <R extends Parameters<typeof closed>[0]>(request: R) =>
  closed({
    ...request,
    inputs: text("Path of the list of records, or of ids, in the body."),
    most: Type.Integer({ description: "Inputs at most; more are refused." }),
    idAt: optional(
      "Path of the record's id in an input; empty: the input is the id. Absent: inputs have none.",
    ),
    keyNameAt: optional("Of an upsert: path of the name of the field that finds the record, in an input."),
    keyAt: optional("Of an upsert: path of its value in an input. Absent: the field itself."),
    fieldsAt: optional("Path of the fields in an input; empty: the input itself, without `apart`."),
    apart: Type.Optional(
      Type.Array(Type.String(), { description: "Members of an input that are no fields, besides the id." }),
    ),
    typeAt: optional("Path of the name of the object in an input, where the address does not tell it."),
    traceAt: optional("Path of a mark in an input that its result has, too."),
    results: text("Path of the list of results in an answer; empty: the answer itself."),
    result: Type.Optional(
      Type.Unknown({
        description:
          "A result with `ID` in place of the id, and `CREATED` for whether an upsert created it. Absent: the record itself.",
      }),
    ),
    createdAt: optional("Of an upsert: path in a result of whether the record was created."),
    fieldsTo: optional("Of a read: path in the body of the names of wanted fields."),
    onceOnly: flag("An id or key that is there twice refuses the whole request."),
    allOrNone: optional("Path in the body of the flag with which one failure undoes all."),
    undone: Type.Optional(
      Type.Unknown({ description: "The entry of a record that was undone for the failure of another one." }),
    ),
    histories: Type.Optional(
      closed(
        {
          to: text("Path in the body."),
          most: Type.Integer(),
          at: text("Path in a result of the histories."),
        },
        "Of a read: where the fields go whose earlier values are wanted, too; fewer inputs are allowed then.",
      ),
    ),
    failure: Type.Optional(Failure),
  });

/** Returns the schema of a request that tells the records which are linked with others. */
export const linkFact = <R extends Parameters<typeof closed>[0]>(request: R) =>
  closed({
    ...request,
    objects: Type.Array(Type.String(), { description: "Objects that `{to}` in the path may be." }),
    inputs: text("Path of the list of records in the body."),
    most: Type.Integer({ description: "Inputs at most; more are refused." }),
    idAt: text("Path of the record's id in an input."),
    placeAt: text("Path in an input of the cursor of the next links of this record."),
    results: text("Path of the list of results in an answer; one for each record that has links."),
    from: text("Path of the record's id in a result."),
    list: text("Path of the links in a result."),
    to: text("Path of the linked record's id in a link."),
    link: Type.Unknown({ description: "A link as the vendor's material shows one." }),
    place: text("Path in a result of the cursor of its next links."),
    failure: Type.Optional(Failure),
  });

export const Language = closed(
  {
    kind: buildUnion(["filterGroups", "soql"]),
    operators: Type.Array(Type.String(), { description: "Comparisons that the language has." }),
    mostFilters: integer("Comparisons at most, of all that are joined by and."),
    mostGroups: integer("Groups at most, of which one is enough."),
    id: text("Name of the id in comparisons."),
    wholeAt: optional("Path of the same queries with deleted and archived records."),
  },
  "The query language in which a request says which records it wants, in which order, and which fields. The simulation carries it out.",
);

export const DeletionLog = closed(
  {
    source: text("Key in `sources`; `key#place` for a place in it."),
    path: text("Path below the base URL of the `GET` that tells it."),
    from: text("Where the beginning of the period goes, which is inclusive."),
    until: text("Where its end goes."),
    records: text("Path of the list of deletions in an answer."),
    id: text("Path of the id in a deletion."),
    time: text("Path of its time."),
    oldestDays: Type.Integer({ description: "Earlier beginnings are refused." }),
    leastMinutes: Type.Integer({
      description: "Periods that are not longer are refused; seconds do not count.",
    }),
  },
  "A log of deletions, which also has records that are gone for good.",
);

export const Composite = closed(
  {
    source: text("Key in `sources`; `key#place` for a place in it."),
    path: text("Path below the base URL, to which it is posted."),
    most: Type.Integer({ description: "Requests at most in one." }),
    requests: text("Path of the list of requests in the body."),
    members: Type.Array(Type.String(), { description: "Members that a request in the list may have." }),
    beside: Type.Array(Type.String(), { description: "Members that the body may have beside the list." }),
    answers: text("Path of the list of answers, in the same order."),
    halted: Type.Unknown({
      description: "The body of an answer to a request that refers to one which failed.",
    }),
  },
  "A request that has several ones within; `@{reference.path}` in an address is a value of an answer before.",
);

export type Composite = Static<typeof Composite>;
export type Language = Static<typeof Language>;
