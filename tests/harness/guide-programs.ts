/** The guide's pages as programs: their blocks of one language, in order, as a reader sees them who goes from page to page. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openClientForms } from "../../server/guide/client-forms.ts";
import type { TestBusbar } from "./busbar.ts";

const ROOT = join(import.meta.dirname, "../..");
/** In this order: each continues the first, and some what the ones before have made. */
const PAGES = [
  "getting-started",
  "writing-records",
  "reading",
  "proxy",
  "custom-fields",
  "events",
  "connections",
  "access",
  "subscribing",
  "operating",
];
/** Examples for accounts that no page has made. */
const WITHOUT_ACCOUNT = /directory|"crm"|\/crm\/|redtail/;
/** The receiver of the guide, which another test runs, and what waits half a minute for it. */
const RECEIVER = /receive-records|records\.db|--wait/;

interface GuidePart {
  page: string;
  text: string;
}

/** Returns what each page shows in a language, and first how a program of the clients begins. */
export async function readGuideParts(language: "sh" | "ts" | "python"): Promise<GuidePart[]> {
  const forms = openClientForms(JSON.parse(await readFile(join(ROOT, "openapi.json"), "utf8")));
  const clients = await readFile(join(ROOT, "docs/guide/clients.md"), "utf8");
  const [begin = ""] = findBlocks(clients).flatMap((block) =>
    block.language === language ? [block.text] : [],
  );
  const parts: GuidePart[] = [{ page: "clients", text: begin }];
  for (const page of PAGES) {
    const known = new Set<string>();
    const shown = findBlocks(await readFile(join(ROOT, `docs/guide/${page}.md`), "utf8")).flatMap((block) => {
      if (block.language === language)
        return WITHOUT_ACCOUNT.test(block.text) || RECEIVER.test(block.text) ? [] : [block.text];
      const said = block.language === "sh" && language !== "sh" ? forms(block.text, known) : undefined;
      const text = said?.[language === "ts" ? "typescript" : "python"];
      return text === undefined || WITHOUT_ACCOUNT.test(text) ? [] : [text];
    });
    parts.push({ page, text: shown.join("\n") });
  }
  return parts;
}

/** Returns the text with the addresses of a started server in place of those that pages have. */
export function withAddresses(text: string, { server, sandbox }: TestBusbar): string {
  return text
    .replaceAll("http://127.0.0.1:4000", new URL(server.urls.base).origin)
    .replaceAll("http://127.0.0.1:4001", new URL(server.urls.proxy).origin)
    .replaceAll("http://127.0.0.1:4100", new URL(sandbox.url).origin);
}

/** Splits imports off, which stand at a program's top. */
export function splitImports(parts: GuidePart[]): { imports: string; parts: GuidePart[] } {
  const isImport = (line: string) => /^(import|from) /.test(line);
  const lines = parts.flatMap(({ text }) => text.split("\n")).filter(isImport);
  const rest = parts.map(({ page, text }) => ({
    page,
    text: text
      .split("\n")
      .filter((line) => !isImport(line))
      .join("\n"),
  }));
  return { imports: [...new Set(lines)].join("\n"), parts: rest };
}

const findBlocks = (markdown: string): { language: string; text: string }[] =>
  [...markdown.matchAll(/^```(sh|ts|python)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
