/** The part of a description that tells how several records are written with one request. */
import { Type, type Static } from "typebox";
import { accepted, resultRules } from "./write-rules.ts";

const text = (description: string) => Type.String({ description });
const Texts = Type.Record(Type.String(), Type.String());
const most = Type.Integer({ description: "Records of a request at most." });

/** The requests of single records, packed into one. Every answer in it is judged as that of a single record. */
const PackedRequests = Type.Object({
  path: text("Path below the base URL; the method is POST."),
  most,
  to: text("Path of the list of requests in the body: each has `id`, `method`, `url`, `headers`, `body`."),
  also: Type.Optional(Texts),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description:
        "Headers that each request in the list has, because those of the whole do not count for it.",
    }),
  ),
  below: Type.Optional(text("Beginning of the paths that `url` leaves out, for example `/v1.0`.")),
  base64: Type.Optional(
    Type.Boolean({ description: "Bodies are JSON in Base64, and headers a list of `name` and `value`." }),
  ),
  answers: text("Path of the list of answers: each has `id`, `headers`, `body` and a status."),
  status: text("Member of an answer that is its status."),
  unserved: Type.Optional(text("Path of the list of ids of requests that were not carried out.")),
});

/** A list of records in the body. `{path}` and `{singular}` are filled in `path`, `to`, `idTo`, `also` and `answers`. */
const RecordList = Type.Object({
  method: Type.Union([Type.Literal("POST"), Type.Literal("PUT"), Type.Literal("PATCH")]),
  path: text("Path below the base URL."),
  most,
  to: text("Path of the list in the body; empty: the body is the list."),
  each: Type.Optional(text("Member of each entry that holds the fields. Absent: the entry itself.")),
  idTo: Type.Optional(text("Member of each entry that is the record's id.")),
  also: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean(), Type.Number()]), {
      description: "Further members of each entry.",
    }),
  ),
  body: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Members of the body beside the list, by path.",
    }),
  ),
  together: Type.Optional(
    Type.Boolean({ description: "One refused record refuses all. They are then written one by one." }),
  ),
  answers: Type.Optional(
    text(
      "Path of the list of results, in the order of the records unless there is `ref`. Absent: an answer that is a success has no " +
        "results.",
    ),
  ),
  furtherAnswers: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Paths of further lists of results, for example of updated records beside new ones. Needs `ref`.",
    }),
  ),
  ref: Type.Optional(
    Type.Object(
      {
        to: Type.Optional(text("Member of each entry that holds the reference, which is a number from `1`.")),
        of: Type.Optional(
          text(
            "Instead of `to`: field of a record that is its reference, such as its mail address, in any case.",
          ),
        ),
        from: text("Path of the reference in a result; empty: the result itself."),
      },
      { description: "For results that come in another order, or not for every record." },
    ),
  ),
  refused: Type.Optional(
    Type.Array(
      Type.Object({
        at: text("Path of the list."),
        from: Type.Optional(
          text("Path of the reference in an entry; empty: the entry itself. Default: that of `ref`."),
        ),
        reason: Type.Optional(text("The reason, where entries have none.")),
      }),
      {
        description:
          "Lists of the records that were refused; without `answers`, all others were written. `message` and `code` are paths in " +
          "their entries. Needs `ref`.",
      },
    ),
  ),
  id: Type.Optional(text("Path of the id in a result; empty: the result itself. Default: as in a record.")),
  record: Type.Optional(text("Path of the record in a result.")),
  accepted: Type.Optional(accepted),
  ...resultRules,
});

/** `requests`, or a list for each kind of write that the provider has in this form. */
export const Batch = Type.Object({
  requests: Type.Optional(PackedRequests),
  create: Type.Optional(RecordList),
  update: Type.Optional(RecordList),
  upsert: Type.Optional(RecordList),
});

export type BatchRules = Static<typeof Batch>;
export type PackedRules = Static<typeof PackedRequests>;
export type RecordListRules = Static<typeof RecordList>;
