/** Adds names beside the ids in rows, for tables. */
import { requireObjects, getTextAt, type Json, type JsonObject } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import type { Connected } from "../settings/connect.ts";

type Needs = Pick<Connected, "inProject">;

/** Where the name of an id is found: `named("topicId", "topicName", "/topics")`. */
interface NameSource {
  id: string;
  name: string;
  path: string;
}

export const nameSource = (id: string, name: string, path: string): NameSource => ({ id, name, path });

/** Fetches each collection once. Rows stay without names if the key may not list a collection. */
export const withNames =
  (...sources: NameSource[]) =>
  async (deps: Needs, rows: JsonObject[]): Promise<JsonObject[]> => {
    const found = await Promise.all(sources.map(({ path }) => listNames(deps, path)));
    return rows.map((row) => {
      const names = sources.map(({ id, name }, index): [string, Json] => [
        name,
        found[index]?.get(getTextAt(row, id) ?? "") ?? "",
      ]);
      return { ...row, ...Object.fromEntries(names) };
    });
  };

/**
 * Adds `author` beside the member that says who made something: the label of an API key. Persons keep their ids, because a
 * project's key may not list them.
 */
export const withAuthor =
  (member: string) =>
  async (deps: Needs, rows: JsonObject[]): Promise<JsonObject[]> => {
    const labels = await listNames(deps, "/api-keys", "label");
    return rows.map((row) => {
      const by = getTextAt(row, member) ?? "";
      const label = by.startsWith("apiKey:") ? labels.get(by.slice("apiKey:".length)) : undefined;
      return { ...row, author: label === undefined ? by : `API key ${label}` };
    });
  };

async function listNames(deps: Needs, path: string, member = "name"): Promise<Map<string, string>> {
  const all = (await ignoreRefusal(deps.inProject("GET", path))) ?? [];
  return new Map(
    requireObjects(all).map((one) => [getTextAt(one, "id") ?? "", getTextAt(one, member) ?? ""]),
  );
}

async function ignoreRefusal<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}
