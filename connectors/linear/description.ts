/** Linear's objects, by GraphQL. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";

/** Lists and filters are named after the type of the record. Archived records are left out unless they are asked for. */
function readable(list: string, type: string, fields: string[], also: Record<string, boolean> = {}) {
  return {
    list,
    get: lowered(type),
    fields,
    arguments: { includeArchived: true, ...also },
    since: { argument: "filter", type: `${type}Filter`, path: "updatedAt.gte" },
  };
}

/** Mutations and their inputs are named after the type, too. */
const graphql = (list: string, type: string, fields: string[]): ObjectRules["graphql"] => ({
  ...readable(list, type, fields),
  create: { field: `${lowered(type)}Create`, input: `${type}CreateInput!` },
  update: { field: `${lowered(type)}Update`, input: `${type}UpdateInput!` },
  delete: { field: `${lowered(type)}Delete` },
});

const lowered = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

/** A delete puts these into the trash, where they are archived. */
const deleted = { at: "trashed" };

export const description: Description = {
  graphql: { path: "/", id: "String!", payload: "success", most: 250 },
  defaults: { changedPath: "updatedAt" },
  objects: {
    issues: {
      deleted,
      graphql: graphql("issues", "Issue", ["identifier", "title", "description", "priority", "url"]),
      example: { title: "Ink leaks", teamId: "9cfb482a-81e3-4154-b5b9-2c805e70a02d" },
    },
    projects: {
      deleted,
      graphql: graphql("projects", "Project", ["name", "description", "url"]),
      example: { name: "Pens", teamIds: ["9cfb482a-81e3-4154-b5b9-2c805e70a02d"] },
    },
    comments: {
      graphql: graphql("comments", "Comment", ["body", "url"]),
      example: { body: "Asked for pens", issueId: "7b1c2d3e-81e3-4154-b5b9-2c805e70a02d" },
    },
    issueLabels: {
      graphql: graphql("issueLabels", "IssueLabel", ["name", "color"]),
      example: { name: "pens" },
    },
    documents: {
      deleted,
      graphql: graphql("documents", "Document", ["title", "content", "url"]),
      example: { title: "Pens" },
    },
    teams: { modes: ["read"], graphql: readable("teams", "Team", ["name", "key"]) },
    users: {
      modes: ["read"],
      graphql: readable("users", "User", ["name", "email", "active"], { includeDisabled: true }),
    },
  },
  errors: {
    message: ["errors.*.extensions.userPresentableMessage", "errors.*.message"],
    code: "errors.0.extensions.code",
    codes: {
      AUTHENTICATION_ERROR: "unauthorized",
      FORBIDDEN: "forbidden",
      FEATURE_NOT_ACCESSIBLE: "forbidden",
      RATELIMITED: "rate_limited",
    },
    // The message is "Entity not found: Issue"; what people are told is "Could not find referenced Issue."
    texts: { "Could not find referenced": "not_found", "Entity not found": "not_found" },
  },
  limits: { reset: "x-ratelimit-requests-reset" },
  sources: {
    documentation: "https://linear.app/developers/graphql",
    checked:
      "2026-11-27, schema of @linear/sdk 88.3.0 and its classes of errors; the largest page and the words of refusals from somebody else's notes of calls. `updatedAt` tells of meaningful updates, as the schema says, so a small change may not be read",
  },
};
