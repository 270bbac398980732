/** Searches the guide by section; also in the browser, where the guide is static files. */
import MiniSearch from "minisearch";

const EXCERPT_LENGTH = 220;

/** A heading and the text below it, up to the next heading. */
export interface Section {
  page: string;
  pageTitle: string;
  /** The heading's anchor in the page's address; empty for the start of the page. */
  anchor: string;
  title: string;
  text: string;
}

/** Headings count more than text, and what begins like a word of the query counts too. */
export function openSearch(sections: readonly Section[]): (query: string, limit: number) => Section[] {
  const index = new MiniSearch<Section & { id: number }>({
    fields: ["title", "pageTitle", "text"],
    searchOptions: {
      boost: { title: 4, pageTitle: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: "AND",
    },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return (query, limit) => {
    const every = index.search(query);
    const found = every.length > 0 ? every : index.search(query, { combineWith: "OR" });
    return found.slice(0, limit).flatMap(({ id }) => sections[id] ?? []);
  };
}

/** Returns the beginning of a section as plain text: without marks and rules of tables, up to a whole word. */
export function cutExcerpt({ text }: Section): string {
  const plain = dropLinks(text)
    .replaceAll(/^ *\|[-| :]+\|$|^ *```\w*$|<!--.*?-->/gm, "")
    .replaceAll(/[`*|#]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (plain.length <= EXCERPT_LENGTH) return plain;
  return `${plain.slice(0, EXCERPT_LENGTH + 1).replace(/ ?\S*$/, "")} …`;
}

/** Returns Markdown with the texts of links in place of the links. */
export const dropLinks = (markdown: string): string => markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
