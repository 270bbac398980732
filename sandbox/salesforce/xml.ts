// XML for SOAP: an element tree with local names, and escaping.

import { SaxesParser } from "saxes";

export type Element = {
  /** Local name, without a namespace prefix. */
  name: string;
  /** Attributes by local name: `xsi:type` is `type`. */
  attributes: Record<string, string>;
  children: Element[];
  text: string;
};

/** Parses a document and returns its root element. Throws a SyntaxError if it is not well-formed, or has a document type. */
export function parseXml(text: string): Element {
  const document: Element = { name: "", attributes: {}, children: [], text: "" };
  const open: Element[] = [document];
  const addText = (part: string) => {
    const parent = open.at(-1);
    if (parent) parent.text += part;
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", ({ message }) => {
    throw new SyntaxError(`not well-formed at ${message}`);
  });
  parser.on("doctype", () => {
    throw new SyntaxError("a document type is not allowed");
  });
  parser.on("opentag", ({ local, attributes }) => {
    const named = Object.values(attributes).filter(
      ({ prefix, name }) => prefix !== "xmlns" && name !== "xmlns",
    );
    const element: Element = {
      name: local,
      attributes: Object.fromEntries(named.map((attribute) => [attribute.local, attribute.value])),
      children: [],
      text: "",
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => void open.pop());
  parser.write(text).close();
  const [root] = document.children;
  if (root === undefined) throw new SyntaxError("there is no element");
  return root;
}

export function findChild(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((candidate) => candidate.name === name);
}

/** Returns the trimmed text of a child; undefined if there is none. */
export function readChildText(element: Element | undefined, name: string): string | undefined {
  return findChild(element, name)?.text.trim();
}

export function listChildren(element: Element | undefined, name: string): Element[] {
  return element?.children.filter((candidate) => candidate.name === name) ?? [];
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Writes plain values as elements: lists repeat their element, undefined is left out. */
export function toXml(name: string, value: unknown, attributes = ""): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((item) => toXml(name, item, attributes)).join("");
  const inner =
    typeof value === "object"
      ? Object.entries(value)
          .map(([key, item]) => toXml(key, item))
          .join("")
      : escapeXml(String(value));
  return `<${name}${attributes}>${inner}</${name}>`;
}
