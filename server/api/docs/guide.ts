/** The guide, as pages for people and as Markdown for programs. */
import { Type } from "typebox";
import { findClosest } from "../../../ground/closest.ts";
import { Problem } from "../../../ground/errors.ts";
import { renderGuidePage, renderLlmsText, searchPage } from "../../guide/guide-pages.ts";
import { openGuide } from "../../guide/open-guide.ts";
import { endpoint, Page, route, type Endpoint, type Route } from "../../http/endpoint.ts";
import { renderHtmlPage } from "./render-html-page.ts";

const MARKDOWN = ".md";
const FIRST_PAGE = "getting-started";

export const guideRoutes = (): Route[] => [
  route("GET /docs/guide", "public", getGuide()),
  route("GET /docs/guide/search", "public", searchGuide()),
  route("GET /docs/guide/{page}", "public", getGuidePage()),
  route("GET /docs/guide/providers/{provider}", "public", getProviderPage()),
  route("GET /llms.txt", "public", getLlmsText()),
];

const getGuide = (): Endpoint =>
  endpoint({
    operationId: "getGuide",
    tag: "Documentation",
    summary: "Open the guide",
    description: "Redirects to the guide's first page.",
    success: { status: 302, description: "To `/docs/guide/getting-started`." },
    handle: async () =>
      new Page("", {
        status: 302,
        headers: { location: `/docs/guide/${FIRST_PAGE}`, "cache-control": "no-store" },
      }),
  });

const searchGuide = (): Endpoint =>
  endpoint({
    operationId: "searchGuide",
    tag: "Documentation",
    summary: "Search the guide",
    description: "A page with at most 30 sections of the guide, those first that fit the words best.",
    query: Type.Object({
      q: Type.String({ maxLength: 200, default: "", description: "Words to look for." }),
    }),
    success: renderHtmlPage("The page."),
    handle: async ({ query }) => searchPage(await openGuide(), query.q),
  });

const getGuidePage = (): Endpoint =>
  endpoint({
    operationId: "getGuidePage",
    tag: "Documentation",
    summary: "Read a page of the guide",
    description: "One page of the guide of this version; with `.md` at the end, its Markdown.",
    params: Type.Object({
      page: Type.String({ description: "The page, for example `reading` or `reading.md`." }),
    }),
    success: { ...renderHtmlPage("The page."), otherMedia: "text/markdown" },
    refusals: { 404: "The guide has no such page." },
    handle: ({ params }) => readPage(params.page),
  });

const getProviderPage = (): Endpoint =>
  endpoint({
    operationId: "getGuideProviderPage",
    tag: "Documentation",
    summary: "Read about a provider",
    description:
      "What is known of one provider's objects, limits and sources; with `.md` at the end, as Markdown.",
    params: Type.Object({
      provider: Type.String({ description: "The provider, by its key, with or without `.md`." }),
    }),
    success: { ...renderHtmlPage("The page."), otherMedia: "text/markdown" },
    refusals: { 404: "The guide has no page of this provider." },
    handle: ({ params }) => readPage(`providers/${params.provider}`),
  });

const getLlmsText = (): Endpoint =>
  endpoint({
    operationId: "getLlmsText",
    tag: "Documentation",
    summary: "List the guide for language models",
    description:
      "The pages of the guide as Markdown, each with its first sentence, in the form of llmstxt.org.",
    success: { status: 200, description: "The list.", schema: Type.String(), media: "text/plain" },
    handle: async () => buildMarkdownAnswer(renderLlmsText(await openGuide()), "text/plain"),
  });

/** Returns the page with this name, as HTML or as Markdown. */
async function readPage(address: string): Promise<Page> {
  const guide = await openGuide();
  const isMarkdown = address.endsWith(MARKDOWN);
  const name = isMarkdown ? address.slice(0, -MARKDOWN.length) : address;
  const page = guide.pages.get(name);
  if (page)
    return isMarkdown ? buildMarkdownAnswer(page.markdown, "text/markdown") : renderGuidePage(guide, page);
  const near = findClosest(name, [...guide.pages.keys()]);
  throw new Problem("not-found", {
    detail: `The guide has no page \`${name}\`. ${near ? `Did you mean /docs/guide/${near}?` : "See /docs/guide."}`,
  });
}

const buildMarkdownAnswer = (text: string, mediaType: string): Page =>
  new Page(text, { status: 200, headers: { "cache-control": "no-cache" }, mediaType });
