/**
 * What a scan of a declarative list remembers from one page to the next. It is stored as a checkpoint, with which another process, or a later
 * version, goes on days later.
 */
import { Type, type Static } from "typebox";
import { Check } from "typebox/value";
import type { Checkpoint } from "../read-connector.ts";

const count = (description: string) => Type.Optional(Type.Number({ description }));
const text = (description: string) => Type.Optional(Type.String({ description }));
const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const MEMBERS = {
  // The next page.
  list: count("Position of the list among those of the object. Absent: the first."),
  place: Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description:
        "Where the next page begins. Absent: at the beginning of the list, or of what is behind `after`.",
    }),
  ),
  asked: text("Digest of the request in whose answers a numbered `place` counts."),
  size: count("Size of pages, where they became smaller, or where a place depends on it."),
  isPartial: Type.Optional(
    Type.Boolean({
      description: "A list of deletions before this one was forbidden: the period is not covered.",
    }),
  ),
  knownFields: texts("Fields that pages before had."),

  // How far the scan came: `trackProgress`.
  pages: count("Pages of the list so far."),
  read: count("Entries of the list so far. Absent: the scan began before they were counted."),
  empty: count("Empty pages in a row."),
  page: text("Digest of the records of the page before."),
  mark: text("Digest of an earlier place, by which a circle is noticed."),
  restarts: count("How often the list was begun anew because its place was refused or lost."),
  restartedAt: count("`pages` when it was begun anew."),

  // A list in the order of change goes on from a time: `moveBound`, `moveOn`.
  after: text("ISO time of the last record, which the list is read from now."),
  seen: texts("Ids of the records of that time that were read."),
  here: Type.Optional(
    Type.Object(
      {
        pages: Type.Number(),
        records: Type.Number(),
        digests: texts("Digests of the ids of each page. Absent: the scan began before they were taken."),
        comparisons: count("How often the pages were compared."),
      },
      { description: "What was read of records of one time that fill more than a page." },
    ),
  ),
  comparison: Type.Optional(
    Type.Object(
      {
        index: Type.Number({ description: "Page of that time that is compared next." }),
        behind: Type.Union(
          [Type.Null(), Type.Object({ after: Type.String(), seen: Type.Array(Type.String()) })],
          {
            description: "Where the list goes on behind the comparison; null at its end.",
          },
        ),
      },
      { description: "Pages of one time are being compared with what they were." },
    ),
  ),

  // Pages by a number of records overlap: `overlap`.
  tail: texts("Ids of the records that the next page begins with."),
  marks: texts("Ids at other distances from the end of the page before."),
  lasts: texts("Ids of the last records of pages before."),
  wide: count("By how many records the next page is to overlap."),
  across: Type.Optional(
    Type.Object(
      { size: Type.Number(), behind: Type.Number() },
      {
        description:
          "The next page is of this size, larger than the others, because no smaller one has records on both sides of the place `behind`.",
      },
    ),
  ),
  apart: Type.Optional(
    Type.Union([Type.Literal("next"), Type.Literal("reported")], {
      description: "The next page is the first that does not overlap; or the log has a warning of one.",
    }),
  ),
  back: count("How often the list went back."),
  inRow: count("How often it went back since a page joined the one before."),
  furthest: count("Furthest place that it went back from."),

  // Numbered pages of one size go back where the total falls: `followTotal`.
  reach: Type.Optional(
    Type.Object(
      { whole: Type.Number(), from: Type.Number(), to: Type.Number(), total: Type.Number() },
      {
        description:
          "The first `whole` records were read, and those between `from` and `to`, when the list had `total`.",
      },
    ),
  ),

  // A list goes on behind an earlier record where the last one was deleted: `readEarlier`.
  earlier: Type.Optional(
    Type.Object(
      { near: Type.Array(Type.String()), far: Type.Array(Type.String()) },
      { description: "Keys of records of the page before, and of last records of earlier pages." },
    ),
  ),

  // A list whose newest change is first is read from its front again: `readOn`.
  readings: count("How often the list was begun."),
  front: texts("Ids of the records at `newest`."),
  newest: count("Time of the first record of this reading, in milliseconds."),
  floor: count("`newest` of the reading before: what is older was read."),
  known: texts("`front` of the reading before."),
};

const ScanStateSchema = Type.Object(MEMBERS);

export type ScanState = Static<typeof ScanStateSchema>;
/** Where a page begins, for the provider: a cursor, an address or a key; or a number of page or record. */
export type PagePlace = NonNullable<ScanState["place"]>;

/** Returns the state of a checkpoint: at the beginning of a scan, none. A member of another type, as another version may have stored it, is absent. */
export const readScanState = (checkpoint: Checkpoint | undefined): ScanState =>
  Object.fromEntries(
    Object.entries(MEMBERS).flatMap(([name, schema]) => {
      const value = checkpoint?.[name];
      return value !== undefined && Check(schema, value) ? [[name, value]] : [];
    }),
  );
