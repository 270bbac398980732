/** The guide: pages as they lie in `docs/`, read once, and searched by section. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROJECT_ROOT } from "../../ground/project-root.ts";
import { openClientForms, type ClientForms } from "./client-forms.ts";
import { dropLinks, openSearch, type Section } from "./search-sections.ts";

const DOCS = join(PROJECT_ROOT, "docs");
const OPENAPI = join(PROJECT_ROOT, "openapi.json");

/** Pages by what a builder does with them, in reading order; providers follow by themselves. */
export const CHAPTERS: readonly { title: string; pages: readonly string[] }[] = [
  {
    title: "Begin",
    pages: [
      "getting-started",
      "quickstart-express",
      "quickstart-nextjs",
      "quickstart-fastapi",
      "manifest",
      "connections",
      "registering-apps",
      "sandbox",
      "status",
      "compatibility",
      "moving",
      "moving-from-others",
    ],
  },
  {
    title: "Build",
    pages: [
      "reading",
      "subscribing",
      "writing-records",
      "custom-fields",
      "schema-watch",
      "proxy",
      "agents",
      "agent-example",
      "react",
      "events",
      "cookbook",
      "two-way-sync",
      "errors",
    ],
  },
  {
    title: "Providers",
    pages: ["own-providers", "provider-format", "checking-providers", "providers/README"],
  },
  {
    title: "Operate",
    pages: [
      "installing",
      "production",
      "configuration",
      "operating",
      "two-databases",
      "shards",
      "access",
      "seeing-inside",
    ],
  },
  { title: "Tools", pages: ["dashboard", "command-line", "clients"] },
];

export interface GuidePage {
  /** Address below `/docs/guide/`, for example `reading`. */
  name: string;
  title: string;
  markdown: string;
}

export interface Guide {
  pages: ReadonlyMap<string, GuidePage>;
  /** HTML of the pages that were asked for, by name: they do not change, and anybody may ask. */
  articles: Map<string, string>;
  /** Translates commands that call the API to the clients' languages. */
  clientForms: ClientForms;
  sections: readonly Section[];
  /** Returns the sections that fit the query best, the best first. */
  search(query: string, limit: number): Section[];
}

let opened: Promise<Guide> | undefined;

/** Returns the guide, read at the first call; the files are this version's and do not change while it runs. */
export function openGuide(): Promise<Guide> {
  opened ??= readGuide().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function readGuide(): Promise<Guide> {
  const [guide, providers] = await Promise.all(
    ["guide", "providers"].map(async (folder) => {
      const files = await readdir(join(DOCS, folder));
      return files.filter((file) => file.endsWith(".md")).toSorted();
    }),
  );
  const names = [
    ...(guide ?? []).map((file) => [`guide/${file}`, file.slice(0, -3)] as const),
    ...(providers ?? []).map((file) => [`providers/${file}`, `providers/${file.slice(0, -3)}`] as const),
  ];
  const pages = await Promise.all(
    names.map(async ([path, name]): Promise<GuidePage> => {
      const markdown = (await readFile(join(DOCS, path), "utf8")).replaceAll(/<!--.*?-->\n?/gs, "");
      return { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, markdown };
    }),
  );
  const sections = pages.flatMap(listSections);
  return {
    pages: new Map(pages.map((page) => [page.name, page])),
    articles: new Map(),
    clientForms: openClientForms(JSON.parse(await readFile(OPENAPI, "utf8"))),
    sections,
    search: openSearch(sections),
  };
}

/** Returns a page's sections. Lines that begin with `#` in a code block are no headings. */
function listSections({ name, title, markdown }: GuidePage): Section[] {
  const anchors = createAnchors();
  const sections: Section[] = [];
  let current: Section = { page: name, pageTitle: title, anchor: "", title, text: "" };
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? undefined : /^(#{1,4}) (.+)$/.exec(line);
    if (!heading) {
      current.text += `${line}\n`;
      continue;
    }
    const anchor = anchors(heading[2] ?? "");
    if (heading[1] === "#") continue;
    sections.push(current);
    current = { page: name, pageTitle: title, anchor, title: toPlainText(heading[2] ?? ""), text: "" };
  }
  return [...sections, current].filter(({ anchor, text }) => anchor !== "" || text.trim() !== "");
}

/** Returns a function that names each heading of one page as GitHub does, so that links work in both places. */
export function createAnchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const anchor = toPlainText(heading)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

const toPlainText = (markdown: string): string => dropLinks(markdown).replaceAll(/[`*]/g, "");
