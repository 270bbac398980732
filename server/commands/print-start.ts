/** Prints on a terminal that the server is up: its addresses, where the API key is, what to do next. */
import { relative } from "node:path";
import type { Config } from "../../ground/config.ts";
import { readBootstrapFile, type BootstrapFile } from "../data-folder/data-folder.ts";

/** `urls` are those of the start; several processes write them to bootstrap.json only. */
export async function printStart(
  screen: { write(text: string): unknown },
  { dataDir, dashboard: hasDashboard }: Pick<Config, "dataDir" | "dashboard">,
  urls?: BootstrapFile["urls"],
): Promise<void> {
  const file = await readBootstrapFile(dataDir);
  const at = urls ?? file?.urls;
  const origin = at && new URL(at.base).origin;
  const folder = relative(process.cwd(), dataDir) || dataDir;
  const shown = folder.startsWith("..") ? dataDir : folder;
  const lines = [
    "",
    "Busbar is running.",
    ...(at ? [`  API            ${at.base}`, `  Proxy          ${at.proxy}`] : []),
    ...(origin && hasDashboard ? [`  Dashboard      ${origin}/`] : []),
    file
      ? `  API key        in ${shown}/bootstrap.json`
      : "  API key        not in the data folder: this database was set up elsewhere",
    ...(origin ? [`  API reference  ${origin}/docs`, `  Guide          ${origin}/docs/guide`] : []),
    "  Stop           Ctrl-C",
    "",
  ];
  screen.write(`${lines.join("\n")}\n`);
}
