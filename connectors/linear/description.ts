/** Linear's objects, by GraphQL. */
import type { Description, ObjectRules } from "../../connector-kit/described/description.ts";

/** Lists, filters and mutations are named after the type of the record. */
function graphql(list: string, type: string, fields: string[]): ObjectRules["graphql"] {
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  return {
    list,
    get: name,
    record: name,
    fields,
    since: { argument: "filter", type: `${type}Filter`, path: "updatedAt.gte" },
    create: { field: `${name}Create`, input: `${type}CreateInput!` },
    update: { field: `${name}Update`, input: `${type}UpdateInput!` },
    delete: { field: `${name}Delete` },
  };
}

export const description: Description = {
  graphql: { path: "/", id: "String!", payload: "success", most: 100 },
  defaults: { changedPath: "updatedAt" },
  objects: {
    issues: {
      graphql: graphql("issues", "Issue", ["identifier", "title", "description", "priority", "url"]),
      example: { title: "Ink leaks", teamId: "9cfb482a-81e3-4154-b5b9-2c805e70a02d" },
    },
    projects: {
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
      graphql: graphql("documents", "Document", ["title", "content", "url"]),
      example: { title: "Pens" },
    },
    teams: { modes: ["read"], graphql: graphql("teams", "Team", ["name", "key"]) },
    users: { modes: ["read"], graphql: graphql("users", "User", ["name", "email", "active"]) },
  },
  errors: {
    message: ["errors.*.extensions.userPresentableMessage", "errors.*.message"],
    code: "errors.0.extensions.code",
    codes: { AUTHENTICATION_ERROR: "unauthorized", FORBIDDEN: "forbidden", RATELIMITED: "rate_limited" },
    texts: { "Entity not found": "not_found" },
  },
  limits: { reset: "x-ratelimit-requests-reset" },
  sources: {
    documentation: "https://linear.app/developers/graphql",
    checked:
      "2026-11-23, public pages with documents for issues (lists, filters, mutations); the words of a missing record were not looked up",
  },
};
