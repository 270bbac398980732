/** The part of a description that tells how a page follows a page. */
import { Type, type Static } from "typebox";

const text = (description: string) => Type.String({ description });

/** Exactly one member. Every walk also ends at an empty page, unless `more` of a cursor says that it goes on. */
export const Paging = Type.Object({
  cursor: Type.Optional(
    Type.Object({
      from: text("Path of the next cursor in the answer."),
      to: text("Where it goes."),
      more: Type.Optional(
        text("Path of a member that is false on the last page, where that has a cursor, too."),
      ),
      start: Type.Optional(
        Type.Object(
          {
            path: text("Path below the base URL."),
            sinceTo: text("Where the bound goes, which it always has: `query.<name>`."),
          },
          { description: "A `GET` before the first page, whose answer has the first cursor at `from`." },
        ),
      ),
    }),
  ),
  nextUrl: Type.Optional(Type.Object({ from: text("Path of the URL of the next page.") })),
  link: Type.Optional(Type.Boolean({ description: "The `Link` header names the next page (RFC 8288)." })),
  page: Type.Optional(
    Type.Object({
      to: text("Where the number of the page goes."),
      first: Type.Integer({ description: "Number of the first page." }),
      more: Type.Optional(
        text(
          "Path of a member that is false, null or empty on the last page. Absent: a short page is the last.",
        ),
      ),
    }),
  ),
  offset: Type.Optional(
    Type.Object({
      to: text("Where the number of records before the page goes."),
      first: Type.Optional(Type.Integer({ description: "That of the first page. Default: 0." })),
      more: Type.Optional(text("As for `page`.")),
    }),
  ),
  keyset: Type.Optional(
    Type.Object({
      to: text("Where the id of the last record goes."),
      more: Type.Optional(text("As for `page`.")),
    }),
  ),
  none: Type.Optional(Type.Boolean({ description: "One answer has all records." })),
});

export type PagingRules = Static<typeof Paging>;
