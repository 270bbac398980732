/** Code of the guide in several languages: one tab each, by radio buttons, so that they work without a script. */
import type MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { escapeHtml } from "../http/styled-page.ts";
import type { ClientForms } from "./client-forms.ts";

const TABS = `<div class="tabs"`;

const LANGUAGES: Record<string, string> = { sh: "curl", ts: "TypeScript", python: "Python" };

/** Shows the chosen language in every block of the page, and in the pages that are opened next. */
export const TABS_PROGRAM = `{
  const buttons = [...document.querySelectorAll(".tabs input")];
  const show = (language) => buttons.filter(({ value }) => value === language).forEach((button) => { button.checked = true; });
  const remembered = () => { try { return localStorage.getItem("busbar-language"); } catch {} };
  show(remembered());
  for (const button of buttons) button.addEventListener("change", () => {
    const { top } = button.parentElement.getBoundingClientRect();
    show(button.value);
    scrollBy(0, button.parentElement.getBoundingClientRect().top - top);
    try { localStorage.setItem("busbar-language", button.value); } catch {}
  });
}
`;

/**
 * Puts blocks that follow each other in different languages behind tabs, and a block of commands that the clients can say beside what they
 * say.
 */
export function renderLanguageTabs(markdown: InstanceType<typeof MarkdownIt>, forms: ClientForms): void {
  markdown.core.ruler.push("languages", (state) => {
    const known = new Set<string>();
    const shown: Token[] = [];
    const { tokens } = state;
    for (let index = 0; index < tokens.length; index += 1) {
      const [token] = tokens.slice(index);
      if (!token) break;
      let end = index;
      while (isCode(tokens[end])) end += 1;
      const written = tokens
        .slice(index, end)
        .map(({ info, content }): Block => ({ language: info, content }));
      const blocks =
        written.length === 1 && token.info === "sh"
          ? translateForClients(token.content, forms, known)
          : written;
      if (blocks.length < 2) {
        shown.push(token);
        continue;
      }
      index += written.length - 1;
      const tabs = new state.Token("html_block", "", 0);
      tabs.content = renderTabs(blocks, index);
      shown.push(tabs);
    }
    state.tokens = shown;
  });
}

interface Block {
  language: string;
  content: string;
  /** Whether it continues a program that has begun with a client. */
  needsClient?: boolean;
}

const isCode = (token: Token | undefined): boolean =>
  token?.type === "fence" && Object.hasOwn(LANGUAGES, token.info);

function translateForClients(content: string, forms: ClientForms, known: Set<string>): Block[] {
  const commands = { language: "sh", content };
  const said = forms(content, known);
  if (!said) return [commands];
  const needsClient = said.typescript.includes("busbar.");
  return [
    commands,
    { language: "ts", content: `${said.typescript}\n`, needsClient },
    { language: "python", content: `${said.python}\n`, needsClient },
  ];
}

function renderTabs(blocks: Block[], group: number): string {
  const buttons = blocks.map(({ language }, index) => {
    const id = `language-${group}-${index}`;
    const input = `<input type="radio" name="language-${group}" id="${id}" value="${language}"${index === 0 ? " checked" : ""}>`;
    return `${input}<label for="${id}">${LANGUAGES[language]}</label>`;
  });
  const panels = blocks.map(({ content, needsClient }) => {
    const begin = needsClient
      ? `<p class="soft small"><code>busbar</code> is the <a href="/docs/guide/clients#begin">client</a>.</p>`
      : "";
    return `<div><pre tabindex="0"><code>${escapeHtml(content)}</code></pre>${begin}</div>`;
  });
  return `${TABS} role="radiogroup" aria-label="Language">${buttons.join("")}${panels.join("")}</div>\n`;
}
