/** As much XML as the Metadata API needs: a strict reader with bounds, and a writer that escapes everything. */

export interface Element {
  /** Without a namespace prefix. */
  name: string;
  /** By local name; namespace declarations are left out. */
  attributes: Map<string, string>;
  children: Element[];
  /** What stands directly in the element, white space around it cut off. */
  text: string;
}

/** The text is not XML, or more of it than is read here. */
export class XmlError extends Error {
  override name = "XmlError";
}

const MOST_CHARACTERS = 4 * 1024 * 1024;
const DEEPEST = 32;

const NAME = "[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?";
/** Comment, declaration, CDATA, closing tag, opening tag with its attributes, text; nothing else is known. */
const TOKEN = new RegExp(
  [
    "<!--[^]*?-->",
    "<\\?[^]*?\\?>",
    "<!\\[CDATA\\[(?<cdata>[^]*?)\\]\\]>",
    `</(?<closing>${NAME})\\s*>`,
    `<(?<opening>${NAME})(?<attributes>(?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(?<empty>/?)>`,
    "(?<text>[^<]+)",
  ].join("|"),
  "y",
);
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "g");

/** The root element. Throws `XmlError`, also for document types and for entities other than the five of XML itself. */
export function readXml(source: string): Element {
  if (source.length > MOST_CHARACTERS) throw new XmlError("too long");
  const document = element("");
  const open = [document];
  const token = new RegExp(TOKEN);
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const groups = token.exec(source)?.groups;
    const parent = open.at(-1);
    if (!groups || !parent) throw new XmlError(`not understood at character ${at}`);
    const { cdata, closing, opening, attributes = "", empty, text } = groups;
    if (cdata !== undefined) parent.text += cdata;
    if (text !== undefined) parent.text += unescape(text);
    if (closing !== undefined) {
      if (open.length === 1 || parent.name !== local(closing))
        throw new XmlError(`</${closing}> closes nothing`);
      parent.text = parent.text.trim();
      open.pop();
    }
    if (opening !== undefined) {
      const child = { ...element(local(opening)), attributes: attributesIn(attributes) };
      parent.children.push(child);
      if (empty !== "/") open.push(child);
      if (open.length > DEEPEST) throw new XmlError("too deep");
    }
  }
  const [root] = document.children;
  if (!root || open.length > 1 || document.children.length > 1 || document.text.trim() !== "")
    throw new XmlError("not one whole element");
  return root;
}

/** An element with text or with children. */
export const element = (name: string, content: string | Element[] = ""): Element => ({
  name,
  attributes: new Map(),
  children: typeof content === "string" ? [] : content,
  text: typeof content === "string" ? content : "",
});

/** The markup of an element; never the self-closing form. */
export function writeXml({ name, attributes, children, text }: Element): string {
  const written = [...attributes].map(([key, value]) => ` ${key}="${escape(value)}"`).join("");
  return `<${name}${written}>${children.map(writeXml).join("")}${escape(text)}</${name}>`;
}

export const childNamed = (parent: Element | undefined, name: string): Element | undefined =>
  parent?.children.find((child) => child.name === name);

export const childrenNamed = (parent: Element | undefined, name: string): Element[] =>
  parent?.children.filter((child) => child.name === name) ?? [];

/** Returns undefined if there is no such child. */
export const childText = (parent: Element | undefined, name: string): string | undefined =>
  childNamed(parent, name)?.text;

/** Characters that XML 1.0 cannot carry in any form. */
export const UNWRITABLE = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const local = (name: string): string => name.slice(name.indexOf(":") + 1);

const attributesIn = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(ATTRIBUTE)]
      .filter(([, name = ""]) => !name.startsWith("xmlns"))
      .map(([, name = "", double, single]) => [local(name), unescape(double ?? single ?? "")]),
  );

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replaceAll(/&([^;\s&]{1,10};)?/g, (_, reference: string | undefined) => {
    const name = reference?.slice(0, -1) ?? "";
    if (Object.hasOwn(ENTITIES, name)) return ENTITIES[name] ?? "";
    const [, hex, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN);
    if (!(code > 0 && code <= 0x10_ff_ff)) throw new XmlError(`&${name} is not known`);
    return String.fromCodePoint(code);
  });
}

const ESCAPES: Record<string, string> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};

const escape = (text: string): string => text.replaceAll(/[<>&"']/g, (sign) => ESCAPES[sign] ?? "");
