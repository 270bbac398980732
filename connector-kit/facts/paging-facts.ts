/** The part of the facts about a vendor that tells how a page follows a page, and of what all their parts are made. */
import { Type, type TProperties } from "typebox";

export const text = (description: string) => Type.String({ description });
export const optional = (description: string) => Type.Optional(Type.String({ description }));
export const integer = (description: string) => Type.Optional(Type.Integer({ description }));
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
export const closed = <P extends TProperties>(members: P, description?: string) =>
  Type.Object(members, { additionalProperties: false, ...(description !== undefined && { description }) });

export const buildUnion = <const V extends readonly string[]>(values: V, description?: string) =>
  Type.Unsafe<V[number]>({ type: "string", enum: values, ...(description !== undefined && { description }) });

export const ListPaging = closed(
  {
    kind: buildUnion(
      ["cursor", "nextUrl", "link", "page", "offset", "keyset", "none"],
      "`keyset`: the id of the last record goes into the request. `none`: one answer has all records.",
    ),
    to: optional("Where the place goes: `query.<name>`, `body.<path>` or `argument.<path>`."),
    template: optional("Text around the place, with `{place}`, where it is a part of a query language."),
    from: optional(
      "Path of the next cursor or address in an answer; `header.<name>` for a header. Of `page` and `offset`: of the address of the next page.",
    ),
    last: Type.Optional(
      buildUnion(
        ["absent", "null", "empty", "present"],
        "What is at `from` on the last page. `present`: a cursor all the same. Default: `absent`.",
      ),
    ),
    more: optional("Path of a member that tells whether others follow."),
    moreMeans: Type.Optional(
      buildUnion(["more", "last"], "`last`: the member is true on the LAST page. Default: `more`."),
    ),
    total: optional("Path of the number of all records, or of all pages with `totalIs`."),
    totalIs: Type.Optional(buildUnion(["records", "pages", "lastPage"])),
    first: integer("Number of the first page, or of the first record."),
    size: optional("Where the size of a page goes."),
    sizeTemplate: optional("Text around the size, with `{size}`."),
    address: optional(
      "Path of the next page, with `{place}`, where it is not this request with another query.",
    ),
    smallest: integer("Smallest page. A smaller size is taken as this one."),
    largest: integer("Largest page. A larger size is refused or cut."),
    default: integer("Size of a page without the parameter."),
    oversize: Type.Optional(buildUnion(["refused", "cut"], "What becomes of a larger size.")),
    multiples: Type.Optional(
      closed(
        { source: text("Key in `sources`.") },
        "Of `offset`: one that is no whole multiple of the page's size is refused.",
      ),
    ),
    mustExist: flag(
      "Of `keyset`: a request whose id is that of a record that left the list meanwhile is refused.",
    ),
    linked: flag(
      "Of `page` and `offset`: the Link header has the address of the next page, where there is one.",
    ),
    positional: flag(
      "A cursor or address stands for a number of records: a row that moves shifts the pages behind it.",
    ),
    scroll: flag("One cursor holds for the whole scan, and an empty page is the last one."),
    emptyFirst: flag("Also the first page may be empty, and name a next one."),
    next: optional("Path of the number behind the page, where an answer tells it."),
    shortPages: flag("The vendor says that a page before the last may be shorter than asked for, or empty."),
    depth: Type.Optional(
      closed({
        records: Type.Integer({ description: "Records that can be reached." }),
        beyond: buildUnion(["refused", "silent"]),
        liftedBy: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            description: "Parameters with which all can be reached: `query.pagination` and its value.",
          }),
        ),
        mark: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            description: "What answers have where the list is cut, by path: silence that can be heard.",
          }),
        ),
        byBound: flag("A request with another bound begins anew: all can be reached by several bounds."),
        source: optional("Key in `sources`, where it is another one."),
      }),
    ),
  },
  "How a page follows a page.",
);
