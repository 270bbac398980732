/** The part of a description that tells how a page follows a page. */
import { Type, type Static } from "typebox";

const text = (description: string) => Type.String({ description });
const optional = (description: string) => Type.Optional(text(description));

/** Members of numbered pages that say whether another page follows. Without any, the list ends at an empty page. */
const counted = {
  more: optional(
    "Path of a member that is false, null or empty on the last page. Without it, a full page is not the last.",
  ),
  last: optional("Path of a member that is true on the last page."),
};

/** The same, for pages whose provider may name the next one, too. */
const next = optional(
  "Where the answer has the address of the next page, which is absent, null or empty on the last one: a path, or `header.Link` (RFC 8288). A " +
    "number of records before the page that it names counts.",
);

/** Exactly one of `cursor` to `none`. */
export const Paging = Type.Object({
  cursor: Type.Optional(
    Type.Object({
      from: text("Path of the next cursor in the answer. The list ends where it is absent, null or empty."),
      to: text("Where it goes."),
      more: optional("Path of a member that is false on the last page, where that has a cursor, too."),
      last: optional("Path of a member that is true on the last page, where that has a cursor, too."),
      scroll: Type.Optional(
        Type.Boolean({
          description:
            "The provider keeps the place: the cursor stays the same, and an empty page ends the list.",
        }),
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
  nextUrl: Type.Optional(
    Type.Object({
      from: text("Path of the URL of the next page. The list ends where it is absent, null or empty."),
      more: optional("Path of a member that is false on the last page, where that has a URL, too."),
      last: optional("Path of a member that is true on the last page, where that has a URL, too."),
    }),
  ),
  link: Type.Optional(Type.Boolean({ description: "The `Link` header names the next page (RFC 8288)." })),
  page: Type.Optional(
    Type.Object({
      to: text("Where the number of the page goes."),
      first: Type.Integer({ description: "Number of the first page." }),
      pages: optional("Path of the number of pages."),
      anySize: Type.Optional(
        Type.Boolean({
          description:
            "The provider gives pages of each size up to `list.pageSize.most`. Their sizes are then chosen so that a page begins with the last " +
            "three records of the one before, because one that is deleted meanwhile moves the others: the second page of 97 follows one of 100. A long list takes 17 % more pages of 100, " +
            "28 % more of 50, 60 % more of 20. " +
            "Where answers are so long that pages have twelve records or fewer, one of some more is asked for where no smaller one overlaps; is it too long, " +
            "the list goes on without an overlap, and a warning in the log says so. " +
            "Without it, a record can be missed that moves to a page that was read, unless answers have a `total`: where that falls, the list goes back. " +
            "As many new records as deleted ones leave a total as it was: the log of each read of several pages says so, " +
            "but for lists of which there is one for each record of another object.",
        }),
      ),
      ...counted,
      next,
    }),
  ),
  offset: Type.Optional(
    Type.Object({
      to: text(
        "Where the number of records before the page goes. A page begins with the last three records of the one before, because one that is " +
          "deleted meanwhile moves the others.",
      ),
      first: Type.Optional(Type.Integer({ description: "That of the first page. Default: 0." })),
      multiples: Type.Optional(
        Type.Boolean({
          description:
            "The provider takes only whole multiples of the page's size. Sizes are then chosen as with `page.anySize`, from pages of 20 records or more.",
        }),
      ),
      ...counted,
      next,
    }),
  ),
  keyset: Type.Optional(
    Type.Object({
      to: text(
        "Where the id of the last record goes. Where that record is deleted meanwhile and the provider refuses its id, the list goes on behind " +
          "one before it.",
      ),
      from: optional(
        "Path of that id in an entry, where the list goes on by another one than that of the record.",
      ),
      template: optional("Text around the id, with `{id}`."),
      ...counted,
    }),
  ),
  none: Type.Optional(Type.Boolean({ description: "One answer has all records." })),
  shortPageEnds: Type.Optional(
    Type.Boolean({
      description:
        "For `page`, `offset` and `keyset`: a page with fewer records than were asked for is the last one. Only where the provider's " +
        "documentation says so: many providers return shorter pages in between.",
    }),
  ),
  newestFirst: Type.Optional(
    Type.Boolean({
      description:
        "For `page` and `offset`: the provider sorts the list by the time at `changedPath`, newest first, and knows no other order. Pages are " +
        "read from the first again as far as records have changed since, and a read of changes ends at the first older record.",
    }),
  ),
  incomplete: optional(
    "Path of a member that an answer has where the provider ends the list although more records follow. A list that ends so fails and says " +
      "so, unless `since.keyset` leads around it. Of a list, each entry is a reason.",
  ),
  incompleteWords: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description:
        "With `incomplete`, where the provider tells other things there, too: parts of the words, in any case, with which it says that it " +
        "cut the list. Other words end no read and are in its log.",
    }),
  ),
  depth: Type.Optional(
    Type.Object(
      {
        records: Type.Optional(Type.Integer({ description: "Records that can be reached." })),
        pages: Type.Optional(Type.Integer({ description: "Pages that can be reached." })),
      },
      {
        description:
          "How far the provider lets the list be read. A list that goes on beyond it fails and says so, unless `since.keyset` leads around it.",
      },
    ),
  ),
});

export type PagingRules = Static<typeof Paging>;
