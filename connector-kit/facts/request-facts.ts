/** The part of the facts that all requests have: address, names and values, statuses. */
import { Type, type Static } from "typebox";
import { buildUnion, closed, flag, optional, text } from "./paging-facts.ts";

/** One name of a query, a header or a body, and what the vendor allows for it. */
export const Parameter = closed({
  required: flag("The vendor refuses requests without it."),
  type: Type.Optional(buildUnion(["string", "integer", "number", "boolean", "array", "object"])),
  enum: Type.Optional(
    Type.Array(Type.String(), { description: "The only values; of each part where `separator` is set." }),
  ),
  pattern: optional("Regular expression of a whole value, where the vendor has a syntax of its own."),
  separator: optional("Between several values in one text."),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  default: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  connection: optional("Name of the value of the connection that it must be."),
  ofRequest: flag(
    "A name of the body that belongs to the request, not to the record: the connector adds it.",
  ),
});

const Parameters = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Parameter, { description }));

export const request = {
  source: text("Key in `sources`; `key#place` for a place in it."),
  field: optional(
    "GraphQL: the root field of queries or mutations that carries the request out. Its arguments are named `argument.<path>`; paths in " +
      "answers begin at its value. Left out then: what the facts' `graphql` says, and the body, which follows from the schema.",
  ),
  method: buildUnion(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: text(
    "Path below the base URL of the connection, placeholders in braces: `{id}` is the record's id, `{parent}` that of the record above.",
  ),
  query: Parameters(
    "All names that the vendor knows in the query. A name that is not here is refused, unless `openQuery`.",
  ),
  openQuery: flag("The vendor allows other names, or does not list them all."),
  headers: Parameters("Headers that the request needs or may have, besides sign-in and content type."),
  body: Parameters(
    "Names of the body by dotted path, as far as known; others are refused only with `closedBody`.",
  ),
  closedBody: flag("The vendor refuses names of the body that are not here."),
  encoding: Type.Optional(buildUnion(["json", "form"], "Default: `json`.")),
  success: Type.Array(Type.Integer(), { description: "Statuses of a success." }),
  envelope: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Members that an answer has beside the records, by dotted path, for example `ok: true`.",
    }),
  ),
};

/** A request whose answer has some members only where it asks for them. */
export const onRequest = Type.Optional(
  Type.Record(Type.String(), Type.String(), {
    description:
      "Members of a record that are absent unless the request has a parameter: their path, by the parameter and its value, for example " +
      "`query.include_users=true`.",
  }),
);

export type Parameter = Static<typeof Parameter>;
