/** The part of a description that tells how an object is written and read by GraphQL; the documents are made from it. */
import { Type, type Static } from "typebox";

const text = (description: string) => Type.String({ description });
const optional = (description: string) => Type.Optional(Type.String({ description }));

const Mutation = Type.Object({
  field: text("Field of the mutation."),
  input: optional("Type of the input, for example `IssueCreateInput!`. Absent: there is only the id."),
  argument: optional("Name of the input. Default: `input`."),
  idInInput: Type.Optional(
    Type.Boolean({ description: "The id is a member of the input, not an argument." }),
  ),
});

export const Graphql = Type.Object(
  {
    list: text("Field of the query that is the list, with `nodes` and `pageInfo`."),
    get: text("Field of the query that is one record, by the argument `id`."),
    record: optional("Member of a mutation's payload that is the record. Default: the name of `get`."),
    fields: Type.Array(Type.String(), {
      description:
        "Fields that answers have where no fields are named, also those of writes. A member of a record of another type is a path: `$['team']['id']`.",
    }),
    arguments: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        description: "Constant arguments of the list, for example `includeArchived: true`.",
      }),
    ),
    since: Type.Optional(
      Type.Object({
        argument: text("Argument of the list for the bound."),
        type: text("Its type."),
        path: optional("Path of the bound in the argument. Absent: the argument itself."),
        template: optional("Text around the bound, with `{since}`."),
      }),
    ),
    create: Type.Optional(Mutation),
    update: Type.Optional(Mutation),
    delete: Type.Optional(Mutation),
  },
  {
    description:
      "In place of `list`, `records`, `paging`, `since.to`, `create`, `update`, `delete`, `get` and `record`: all requests are " +
      "GraphQL documents with variables. Needs `graphql` beside the objects.",
  },
);

export const GraphqlEndpoint = Type.Object(
  {
    path: text("Path below the base URL; `/` is the base URL itself."),
    id: text("Type of ids in documents, for example `ID!`."),
    payload: text(
      "What the answers of mutations have besides the record: `success`, or `userErrors{field message}`.",
    ),
    most: Type.Integer({ description: "Records of a page at most." }),
  },
  { description: "Of objects with `graphql`." },
);

export type GraphqlRules = Static<typeof Graphql>;
export type GraphqlEndpointRules = Static<typeof GraphqlEndpoint>;
export type MutationRules = Static<typeof Mutation>;
