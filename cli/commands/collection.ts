/** `busbar collection postman`: writes the API's requests for Postman or Bruno, with an example of each. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Argument, type Command } from "commander";
import { buildBrunoCollection } from "../collections/bruno-collection.ts";
import { buildPostmanCollection } from "../collections/postman-collection.ts";
import { readRequests, type CollectionFolder } from "../collections/read-requests.ts";
import { Failure } from "../failures.ts";
import { requireObject } from "../http/json.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";

interface Format {
  path: string;
  /** Returns the text of each file by its path below the given one; that of a single file is empty. */
  write(folders: CollectionFolder[], variables: Record<string, string>): Record<string, string>;
}

const FORMATS: Record<string, Format> = {
  postman: {
    path: "busbar.postman_collection.json",
    write: (folders, variables) => ({
      "": `${JSON.stringify(buildPostmanCollection(folders, variables))}\n`,
    }),
  },
  bruno: { path: "busbar-bruno", write: buildBrunoCollection },
};

export function addCollection(program: Command, terminal: Terminal): void {
  program
    .command("collection")
    .description("write the requests of the API, with examples, for Postman or Bruno")
    .addArgument(new Argument("<format>", "the program").choices(Object.keys(FORMATS)))
    .argument(
      "[path]",
      "the file, for Bruno the folder (default: busbar.postman_collection.json, busbar-bruno)",
    )
    .option("--force", "overwrite what is there")
    .addHelpText(
      "after",
      "\nThe key is not written: set the variable apiKey in the program. Parameters in paths are variables, too.",
    )
    .action(
      async (name: string, given: string | undefined, { force }: { force?: boolean }, command: Command) => {
        const format = FORMATS[name];
        if (!format) throw new Error(`commander let the format ${name} pass`);
        const { api, target, out } = await connect(command, terminal);
        const description = await api("GET", "/openapi.json", { query: { examples: "true" } });
        const folders = readRequests(requireObject(description));
        const files = format.write(folders, readVariables(folders, target.origin, target.project));
        const shown = given ?? format.path;
        await writeFiles(resolve(terminal.cwd, shown), files, shown, force === true);
        const count = folders.flatMap(({ requests }) => requests).length;
        if (out.json) return out.data({ path: shown, requests: count });
        out.line(`${out.paint.green("wrote")} ${shown}: ${count} requests`);
      },
    );
}

function readVariables(
  folders: CollectionFolder[],
  origin: string,
  project = "default",
): Record<string, string> {
  const names = folders.flatMap(({ requests }) => requests.flatMap(({ variables }) => variables));
  const empty = Object.fromEntries(names.toSorted().map((name) => [name, ""]));
  return { baseUrl: origin, apiKey: "", ...empty, projectIdOrName: project };
}

async function writeFiles(
  path: string,
  files: Record<string, string>,
  shown: string,
  force: boolean,
): Promise<void> {
  const flag = force ? "w" : "wx";
  try {
    if (!force && !("" in files) && (await isFilled(path))) throw existsAlready(shown);
    for (const [below, text] of Object.entries(files)) {
      const file = join(path, below);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag });
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    const error: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause));
    if (error.code === "EEXIST") throw existsAlready(shown);
    throw new Failure(`${shown} cannot be written: ${error.message}.`, { cause });
  }
}

const existsAlready = (shown: string): Failure =>
  new Failure(`${shown} exists already and was not changed.`, {
    remedy: "Name another path, or overwrite it with --force.",
  });

const isFilled = async (folder: string): Promise<boolean> =>
  await readdir(folder).then(
    (names) => names.length > 0,
    () => false,
  );
