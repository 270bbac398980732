/** The parts of a description that tell how lists are asked for: requests, bounds of the last change, further lists. */
import { Type } from "typebox";
import { Paging } from "./paging-rules.ts";

export const text = (description: string) => Type.String({ description });
export const optional = (description: string) => Type.Optional(Type.String({ description }));
export const texts = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.String(), { description }));

export const Method = Type.Union([
  Type.Literal("GET"),
  Type.Literal("POST"),
  Type.Literal("PUT"),
  Type.Literal("PATCH"),
  Type.Literal("DELETE"),
]);

export const TimeFormat = Type.Union([
  Type.Literal("rfc3339"),
  Type.Literal("rfc3339-seconds"),
  Type.Literal("sql"),
  Type.Literal("unix"),
  Type.Literal("unix-ms"),
  Type.Literal("http"),
  Type.Literal("json-date"),
]);

/** Where a value goes in a request: `query.<name>`, `body.<path>`, or `fill.<name>` for `{<name>}` in the query of a list. */
export const target = (description: string) => Type.String({ description });

export const bodyMembers = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));

export const ListRequest = Type.Object({
  method: Type.Optional(Type.Union(Method.anyOf, { description: "Default: `GET`." })),
  path: text("Path below the base URL."),
  query: texts(
    "Further parameters of the query. `{path}`, `{singular}` and values of the connection are filled.",
  ),
  headers: texts("Further headers."),
  body: bodyMembers("Members of the body, by path, filled in the same way. Needs another method than `GET`."),
  pageSize: Type.Optional(
    Type.Object(
      {
        to: target("Where the size of a page goes: `query.<name>`, `body.<path>` or `header.<name>`."),
        template: optional("Text around the size, with `{size}`."),
        most: Type.Integer({ description: "Records of a page at most." }),
        halvedBy: optional(
          "Part of the reason with which the provider refuses a page that takes it too long: one of half the size is then asked for, down to " +
            "an eighth.",
        ),
        inAddress: Type.Optional(
          Type.Boolean({
            description:
              "For `link` and `nextUrl`, where the address of the next page has this size, and counts the records before the page, not the " +
              "pages: a list goes on at its place with smaller pages. Otherwise it begins anew.",
          }),
        ),
      },
      { description: "For lists whose caller chooses how long a page is." },
    ),
  ),
});

const Zone = Type.Optional(
  Type.Union([Type.Literal("UTC"), Type.Literal("user")], {
    description:
      "Zone in which the provider reads bounds without one. `user`: that of the connected user; where the connection does not know it, " +
      "the bound is 14 hours earlier. Default: `UTC`.",
  }),
);

export const Since = Type.Object({
  to: Type.Optional(
    target(
      "Where the lower bound goes: `query.<name>`, `body.<path>` or `header.<name>`. Absent: records are compared here.",
    ),
  ),
  format: Type.Optional(
    Type.Union(TimeFormat.anyOf, {
      description: "How the bound is written. Default: `rfc3339`, with milliseconds.",
    }),
  ),
  template: optional("Text around the bound, with `{since}`."),
  query: texts("Parameters of the query that go with the bound."),
  body: bodyMembers("Members of the body that go with the bound, by path."),
  overlapMinutes: Type.Optional(
    Type.Integer({
      description:
        "How far before the last read a scheduled one begins, where records appear late. It is the longest of all objects that holds. " +
        "Default: 1.",
    }),
  ),
  settlingMinutes: Type.Optional(
    Type.Integer({
      description:
        "How far before the last read one begins once an hour, where a few records appear much later. The longest of all objects holds.",
    }),
  ),
  oldestDays: Type.Optional(
    Type.Integer({
      description: "The provider refuses older bounds: all records are then read and compared here.",
    }),
  ),
  full: optional(
    "Bound of a read of all records, for example `1970-01-01T00:00:00Z`, where the list leaves records out without one, or where `keyset` " +
      "needs it.",
  ),
  keyset: Type.Optional(
    Type.Boolean({
      description:
        "Pages go on with the time of the last record as the next bound, instead of a place that moves when records change. The list is " +
        "sorted by the time at `changedPath`, oldest first. `paging` is used within records of one time only, and where these fill several " +
        "pages, the pages are compared with what they were before the list goes on, because a record that changes meanwhile moves the others.",
    }),
  ),
  exclusive: Type.Optional(
    Type.Boolean({
      description:
        "The provider leaves out records that changed exactly at the bound: it is then asked for a little earlier.",
    }),
  ),
  zone: Zone,
  path: optional("Path of the list that knows the bound, where it is another one."),
  list: Type.Optional(ListRequest),
  records: optional("Path of the list of records in its answer, where it is another one."),
  each: optional("Member of each of its entries that is the record, where it is another one."),
  paging: Type.Optional(Paging),
});

export const deletedMark = {
  at: text("Path in a record."),
  is: optional(
    "Its value in a deleted one, or several with `|`. Default: any but false, null, 0 and an empty text.",
  ),
};

/** A further list of an object: what it has in place of `list`. One with a `list` of its own has no named fields, and is read by its pages. */
export const FurtherList = Type.Object({
  path: optional("Path below the base URL."),
  query: texts("Parameters of the query, beside those of `list`."),
  body: bodyMembers("Members of the body by path, beside those of `list`."),
  list: Type.Optional(ListRequest),
  records: optional("Path of the list of records in its answer."),
  when: optional(
    "`path=value` that the last answer of the list before it has, where there is nothing to read otherwise. Not for deletions.",
  ),
  paging: Type.Optional(Paging),
  idPath: optional("Path of the id in its records, where a log names records in another way. Needs `list`."),
  changedPath: optional("Path of the time of the change, or of the deletion, in its records."),
  deleted: Type.Optional(Type.Boolean({ description: "Its records are deleted ones." })),
  newestFirst: Type.Optional(
    Type.Boolean({
      description:
        "Its entries are in the order of the times at `changedPath`, newest first: the first that is older than the period is the last that " +
        "is read. Needs `deleted`.",
    }),
  ),
  mayBeForbidden: Type.Optional(
    Type.Boolean({
      description:
        "Not every account may read this list of deleted records, for example a log: where the provider forbids it, the read says so in " +
        "its log, and goes on.",
    }),
  ),
  mayBeBack: Type.Optional(
    Type.Boolean({
      description:
        "Callers choose the ids, so that a record may have been created anew under the id of a deleted one: each is asked for by `get` before " +
        "its deletion is told.",
    }),
  ),
  where: Type.Optional(
    Type.Object(deletedMark, {
      description: "Where it has other records, too, which are left out: what tells its own.",
    }),
  ),
  since: Type.Optional(
    Type.Object(
      {
        to: Type.Optional(target("Where the lower bound goes. Absent: entries are compared here.")),
        format: Type.Optional(Type.Union(TimeFormat.anyOf, { description: "How it is written." })),
        template: optional("Text around the bound, with `{since}`."),
        zone: Zone,
        until: Type.Optional(
          target("Where the end of the period goes, written like the bound, where the provider wants one."),
        ),
        overlapMinutes: Type.Optional(
          Type.Integer({
            description:
              "How far before the end of the last period one of deletions begins, where the list shows them late. The longest of all objects " +
              "holds. Default: that of changes.",
          }),
        ),
        oldestDays: Type.Optional(
          Type.Integer({
            description: "How far back the provider knows changes; the read says what is earlier.",
          }),
        ),
      },
      { description: "The bound of a `list` of its own, where it is not that of `since`." },
    ),
  ),
  most: Type.Optional(
    Type.Integer({
      description:
        "Records that its only answer has at most. One with so many may lack others: the read says so in its log.",
    }),
  ),
});
