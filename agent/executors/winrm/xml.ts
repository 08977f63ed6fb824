import { ExecutorFailure } from "../shared/failures.ts";

/**
 * A small reader for WS-Management answers: elements, attributes, text, CDATA. It has no document types, and only the
 * five entities and character references, so that an answer cannot expand or fetch anything. Names lose their prefix:
 * hosts choose prefixes freely, and all relevant elements differ in their local names.
 */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /** The text directly inside. */
  text: string;
}

const DEPTH_MAX = 64;
const ELEMENTS_MAX = 50_000;
const TOKEN =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>|<\/([^\s<>/]{1,256})\s*>|<([^\s<>/!?]{1,256})(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)>|([^<]+)/gy;
const ATTRIBUTE = /\s+([^\s=<>/"']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/gy;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Reads a whole document. Throws `invalid_response` for anything else. */
export function readXml(document: string): XmlElement {
  const top: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [top];
  const source = document.replace(/^\uFEFF/u, "");
  let elements = 0;
  for (let at = 0; at < source.length;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(source);
    if (token === null) throw notXml(`it cannot be read at character ${at}`);
    at = TOKEN.lastIndex;
    const [, cdata, closing, opening, attributes = "", empty, text] = token;
    const inside = open.at(-1) ?? top;
    if (cdata !== undefined) inside.text += cdata;
    else if (text !== undefined) inside.text += unescapeXml(text);
    else if (closing !== undefined) {
      if (open.length === 1 || inside.name !== localName(closing)) throw notXml("its elements do not fit together");
      open.pop();
    } else if (opening !== undefined) {
      elements += 1;
      if (open.length > DEPTH_MAX || elements > ELEMENTS_MAX) throw notXml("it has too many elements");
      const element = { name: localName(opening), attributes: readAttributes(attributes), children: [], text: "" };
      inside.children.push(element);
      if (empty !== "/") open.push(element);
    }
  }
  const [root, ...more] = top.children;
  if (root === undefined || more.length > 0 || open.length > 1 || top.text.trim() !== "") {
    throw notXml("it is not one whole element");
  }
  return root;
}

/** All elements of a local name, in order, at any depth. */
export function elementsOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...elementsOf(child, name)]);
}

export function elementOf(element: XmlElement, name: string): XmlElement | null {
  return elementsOf(element, name)[0] ?? null;
}

/** The text of an element and of everything inside it. */
export function textOf(element: XmlElement): string {
  return [element.text, ...element.children.map(textOf)].join(" ").replaceAll(/\s+/gu, " ").trim();
}

/** Text for an element or an attribute. A carriage return is escaped, so that readers keep it. */
export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\r", "&#13;");
}

/** The first character that XML 1.0 cannot carry in any form, as `U+0007`; null when there is none. */
export function notForXml(text: string): string | null {
  // oxlint-disable-next-line no-control-regex -- finds control characters
  const found = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u.exec(text)?.[0];
  return found === undefined ? null : `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

export function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-zA-Z]\w*));|&/gu, (all, decimal, hex, name) => {
    if (typeof name === "string") {
      const meant = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
      if (meant !== undefined) return meant;
    }
    const code =
      typeof decimal === "string" ? Number(decimal) : typeof hex === "string" ? Number.parseInt(hex, 16) : -1;
    if (code < 0 || code > 0x10ffff) throw notXml(`it has ${all}, which is not an entity of XML`);
    return String.fromCodePoint(code);
  });
}

function readAttributes(source: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  let at = 0;
  while (source.slice(at).trim() !== "") {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(source);
    if (found === null) throw notXml("an attribute cannot be read");
    at = ATTRIBUTE.lastIndex;
    attributes[localName(found[1] ?? "")] = unescapeXml(found[2] ?? found[3] ?? "");
  }
  return attributes;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function notXml(why: string): ExecutorFailure {
  const message = `The host's answer is not an XML message of WS-Management: ${why}. Check that the port is WinRM's.`;
  return new ExecutorFailure("invalid_response", message);
}
