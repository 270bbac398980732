/** Looks up the API key in use: its id, label and scopes. */
import { Refused } from "../http/refused.ts";
import { requireObjects, getTextAt, getValueAt } from "../http/json.ts";
import type { Connected } from "./connect.ts";

interface OwnKey {
  /** The beginning of the key, as `list api-keys` shows it. */
  key: string;
  scopes: string[];
  label?: string;
  id?: string;
}

const SHOWN_CHARACTERS = 7;

/** Finds the key in the list by its beginning. Getting it by the whole key would put that into logs. */
export async function findOwnKey({
  inProject,
  target,
}: Pick<Connected, "inProject" | "target">): Promise<OwnKey> {
  const { apiKey = "" } = target;
  const unnamed = { key: `${apiKey.slice(0, SHOWN_CHARACTERS)}…` };
  try {
    const all = requireObjects(await inProject("GET", "/api-keys"));
    const [found, ...others] = all.filter((one) => {
      const beginning = (getTextAt(one, "key") ?? "").replace(/…$/, "");
      return beginning !== "" && apiKey.startsWith(beginning);
    });
    const [id, label, key] = [getTextAt(found, "id"), getTextAt(found, "label"), getTextAt(found, "key")];
    // The list of keys was answered, so the key has the scope `full`.
    if (!found || others.length > 0 || !id || !key) return { ...unnamed, scopes: ["full"] };
    const scopes = [getValueAt(found, "scopes") ?? []].flat().map(String);
    return { key, scopes, id, ...(label && { label }) };
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return { ...unnamed, scopes: ["frontend"] };
    throw error;
  }
}
