/** Completes facts about a vendor that speaks GraphQL with what all its requests have: the file names it once. */
import type { Facts, ObjectFacts } from "./facts.ts";

const ACTIONS = ["list", "changes", "get", "create", "update", "upsert", "delete"] as const;

/** Returns the facts with the method, the path and whatever else is common to all requests of a kind. Others stay as they are. */
export function completeRequests(facts: Facts): Facts {
  const { graphql } = facts;
  if (!graphql) return facts;
  const usual = { source: graphql.source, method: "POST", path: graphql.path, success: [200] };
  const completed = (object: ObjectFacts): ObjectFacts => {
    const requests = ACTIONS.flatMap((action) => {
      const own = object[action];
      const common =
        graphql.common?.[action === "changes" ? "list" : action === "upsert" ? "create" : action];
      return own?.field === undefined ? [] : [[action, { ...usual, ...common, ...own }]];
    });
    return { ...object, ...(Object.fromEntries(requests) as Partial<ObjectFacts>) };
  };
  const objects = Object.entries(facts.objects).map(([name, object]) => [name, completed(object)] as const);
  return { ...facts, objects: Object.fromEntries(objects) };
}
