/** Loads a connector with one of its files changed, beside the unchanged one. */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Connector } from "../../connector-kit/connector.ts";
import { CONNECTORS } from "../../connectors/connectors.gen.ts";
import type { CodeMutant } from "./code-mutants.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "connectors");
const MARK = "?mutant=";

/** Changed sources by mark and address. */
const changed = new Map<string, string>();
let count = 0;
let isHooked = false;

/** The parts of a connector that facts are about; each is a file. */
const PARTS = ["write", "read", "classify"] as const;

/** Returns the connector of a provider with a change. The rest of it, such as its subscriptions, is the unchanged one. */
export async function loadMutated(provider: string, { file, text }: CodeMutant): Promise<Connector> {
  installHook();
  const mark = `${MARK}${(count += 1)}`;
  const address = pathToFileURL(file).href + mark;
  changed.set(address, text);
  try {
    const parts = await Promise.all(
      PARTS.map(async (part) => {
        const path = pathToFileURL(join(FOLDER, provider, `${part}.ts`)).href + mark;
        const module = (await import(path)) as Record<string, unknown>;
        return [part, module[part]] as const;
      }),
    );
    return { ...CONNECTORS[provider], ...(Object.fromEntries(parts) as Connector) };
  } finally {
    changed.delete(address);
  }
}

/** Files of a connector that a marked file imports are marked as well. */
function installHook(): void {
  if (isHooked) return;
  isHooked = true;
  const folder = pathToFileURL(FOLDER).href;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const { parentURL = "" } = context;
      const mark = parentURL.includes(MARK) ? parentURL.slice(parentURL.indexOf(MARK)) : undefined;
      const isOwn = resolved.url.startsWith(`${folder}/`) && !resolved.url.includes(MARK);
      return mark !== undefined && isOwn ? { ...resolved, url: resolved.url + mark } : resolved;
    },
    load(url, context, next) {
      const source = changed.get(url);
      return source === undefined
        ? next(url, context)
        : { format: "module-typescript", source, shortCircuit: true };
    },
  });
}
