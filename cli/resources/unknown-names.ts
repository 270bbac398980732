/** Finds out whether nothing was found because a name is misspelt: the server's refusal of the name suggests the one that was meant. */
import { encodeStep } from "../http/api.ts";
import { Refused } from "../http/refused.ts";
import type { Connected } from "../settings/connect.ts";

/** What the options name. */
interface Named {
  group?: string;
  integration?: string;
  destination?: string;
}

const PATHS: Record<keyof Named, string> = {
  group: "/groups",
  integration: "/integrations",
  destination: "/destinations",
};

/** Returns what the server says about each name that it does not have; nothing where the key may not ask. */
export async function listUnknownNames(
  { inProject }: Pick<Connected, "inProject">,
  names: Named,
): Promise<string[]> {
  const kinds: (keyof Named)[] = ["group", "integration", "destination"];
  const said = await Promise.all(
    kinds.map(async (kind) => {
      const name = names[kind];
      if (name === undefined) return [];
      try {
        await inProject("GET", `${PATHS[kind]}/${encodeStep(name)}`);
        return [];
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return error.status === 404 ? [error.message] : [];
      }
    }),
  );
  return said.flat();
}
