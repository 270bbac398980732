/** XML for the Metadata API: a strict reader with limits, and a writer that escapes everything. */
import { SaxesParser, type SaxesAttributeNS } from "saxes";

export interface Element {
  /** Without a namespace prefix. */
  name: string;
  /** Attributes by local name; namespace declarations are left out. */
  attributes: Map<string, string>;
  children: Element[];
  /** The text directly in the element, trimmed. */
  text: string;
}

/** The text is not well-formed, or exceeds the limits. */
export class XmlError extends Error {
  override name = "XmlError";
}

/** Ten fields with a thousand values each, the most of one call, have 50,000 nodes. */
const LIMITS = { characters: 4 * 1024 * 1024, depth: 32, nodes: 100_000 };

/**
 * Parses a document and returns its root element. Throws `XmlError` for text that is not well-formed, for document
 * types and entities other than the five of XML itself, and for more than `limits` allow.
 */
export function readXml(source: string, limits = LIMITS): Element {
  if (source.length > limits.characters) throw new XmlError("too long");
  const document = buildElement("");
  const open = [document];
  let nodes = 0;
  const count = () => {
    if (++nodes > limits.nodes) throw new XmlError("too many elements and attributes");
  };
  const addText = (text: string) => {
    const parent = open.at(-1);
    if (parent) parent.text += text;
  };
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on("error", (error) => {
    throw new XmlError(error.message);
  });
  parser.on("doctype", () => {
    throw new XmlError("document types are not read");
  });
  parser.on("opentagstart", () => {
    count();
    if (open.length > limits.depth) throw new XmlError("too deep");
  });
  parser.on("attribute", count);
  parser.on("opentag", ({ local, attributes }) => {
    const child = { ...buildElement(local), attributes: readAttributes(attributes) };
    open.at(-1)?.children.push(child);
    open.push(child);
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const closed = open.pop();
    if (closed) closed.text = closed.text.trim();
  });
  parser.write(source).close();
  const [root] = document.children;
  if (!root) throw new XmlError("no element");
  return root;
}

const readAttributes = (attributes: Record<string, SaxesAttributeNS>): Map<string, string> =>
  new Map(
    Object.values(attributes)
      .filter(({ prefix, name }) => prefix !== "xmlns" && name !== "xmlns")
      .map(({ local, value }) => [local, value]),
  );

/** Creates an element with text or with children. */
export const buildElement = (name: string, content: string | Element[] = ""): Element => ({
  name,
  attributes: new Map(),
  children: typeof content === "string" ? [] : content,
  text: typeof content === "string" ? content : "",
});

/** Returns the markup of an element, never in the self-closing form. */
export function writeXml({ name, attributes, children, text }: Element): string {
  const written = [...attributes].map(([key, value]) => ` ${key}="${escape(value)}"`).join("");
  return `<${name}${written}>${children.map(writeXml).join("")}${escape(text)}</${name}>`;
}

export const findChildElement = (parent: Element | undefined, name: string): Element | undefined =>
  parent?.children.find((child) => child.name === name);

export const listChildElements = (parent: Element | undefined, name: string): Element[] =>
  parent?.children.filter((child) => child.name === name) ?? [];

/** Returns undefined if there is no such child. */
export const getChildText = (parent: Element | undefined, name: string): string | undefined =>
  findChildElement(parent, name)?.text;

/** Characters that XML 1.0 cannot carry in any form. */
export const UNWRITABLE = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const ESCAPES: Record<string, string> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};

const escape = (text: string): string => text.replaceAll(/[<>&"']/g, (sign) => ESCAPES[sign] ?? "");
