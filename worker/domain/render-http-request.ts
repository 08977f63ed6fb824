import { dotSegmentsIn } from "../../schema/contract/dot-segments.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { loneTemplate, parseTemplate } from "./template/parse.ts";
import type { ParsedTemplate, Template } from "./template/parse.ts";
import { renderData, renderText } from "./render-data.ts";
import { evaluate } from "./template/filters.ts";
import type { Steps } from "./steps.ts";
import { textOf } from "./template/value.ts";
import type { Resolve } from "./template/value.ts";

/** Rendered parameters, or the problem with a value and the path of its parameter. */
export type RenderedParams =
  | { readonly ok: true; readonly params: JsonObject }
  | { readonly ok: false; readonly path: string; readonly message: string };

/**
 * The parameters of http.request. Its text has places that a value could break out of, and
 * docs/design/templates.md#data has the rule of each place. The contract refuses line breaks in headers.
 */
export function renderHttpRequest(params: JsonObject, resolve: Resolve): RenderedParams {
  const entries: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(params)) {
    if ((name === "path" || name === "url") && typeof value === "string" && loneTemplate(value) === null) {
      const address = renderAddress(value, resolve);
      if (hasNewDotSegment(value, address)) {
        return {
          ok: false,
          path: name,
          message: "a value with . or .. as a segment would change the path: send another value",
        };
      }
      entries.push([name, address]);
    } else if (name === "body") {
      const body = renderBody(value, params["bodyType"] ?? "json", resolve);
      if (body === null) {
        return {
          ok: false,
          path: name,
          message:
            "the text becomes JSON through its values: write it as a JSON string, in quotes, or use bodyType text",
        };
      }
      entries.push([name, body.content]);
    } else entries.push([name, renderData(value, resolve)]);
  }
  return { ok: true, params: Object.fromEntries(entries) };
}

/** A text as an address, with each value as one component. */
export function renderAddress(text: string, resolve: Resolve): string {
  return renderText(text, resolve, percentEncode);
}

/** The problem with a body's text when a workflow is saved; null without one. */
export function checkJsonBody(body: string, steps: Steps): string | null {
  const parsed = parseTemplate(body, steps);
  if (!/^\s*\{/u.test(body) || parsed.problems.length > 0 || loneTemplate(body) !== null) return null;
  return isJsonStructure(renderJson(parsed, () => undefined).skeleton)
    ? null
    : "begins like JSON, but is not JSON once its templates are replaced: correct it, write it as an object, or use bodyType text";
}

/** Null when values would turn text into JSON: the agent sends JSON text unchanged, and other text as a JSON string. */
function renderBody(body: JsonValue, bodyType: JsonValue, resolve: Resolve): { content: JsonValue } | null {
  if (typeof body !== "string" || loneTemplate(body) !== null) return { content: renderData(body, resolve) };
  if (bodyType === "form") return { content: renderText(body, resolve, percentEncode) };
  if (bodyType !== "json") return { content: renderText(body, resolve) };
  const { skeleton, rendered } = renderJson(parseTemplate(body), (template) => evaluate(template, resolve));
  if (isJsonStructure(skeleton)) return { content: rendered };
  const content = renderText(body, resolve);
  return isJsonStructure(content) ? null : { content };
}

/** A body as JSON text with its values, and without them. */
function renderJson(
  { segments }: ParsedTemplate,
  valueOf: (template: Template) => JsonValue | undefined,
): { rendered: string; skeleton: string } {
  let rendered = "";
  let skeleton = "";
  let inString = false;
  for (const segment of segments) {
    if (segment.type === "text") {
      rendered += segment.text;
      skeleton += segment.text;
      inString = endsInString(segment.text, inString);
      continue;
    }
    const value = valueOf(segment);
    skeleton += inString ? "x" : "0";
    rendered += inString
      ? JSON.stringify(textOf(value)).slice(1, -1)
      : JSON.stringify(value === undefined ? "" : value);
  }
  return { rendered, skeleton };
}

/** Whether a JSON string is open after this text. */
function endsInString(json: string, openBefore: boolean): boolean {
  let inString = openBefore;
  for (let at = 0; at < json.length; at += 1) {
    if (json[at] === '"') inString = !inString;
    else if (json[at] === "\\" && inString) at += 1;
  }
  return inString;
}

function isJsonStructure(text: string): boolean {
  if (!/^\s*[[{]/u.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** RFC 3986, 2.1: everything but unreserved characters. A lone surrogate becomes U+FFFD, as in URLs. */
function percentEncode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(
    /[!'()*]/gu,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Whether a value became the segment `.` or `..`, or added one that a server sees when it decodes the value. An encoded
 * value has no slash, so the segments of the address match those of the written text.
 */
export function hasNewDotSegment(written: string, address: string): boolean {
  const skeleton = parseTemplate(written)
    .segments.map((segment) => (segment.type === "text" ? segment.text : "x"))
    .join("");
  const before = segmentsOf(skeleton);
  return segmentsOf(address).some((segment, index) => dotSegmentsIn(segment) > dotSegmentsIn(before[index] ?? ""));
}

function segmentsOf(address: string): string[] {
  return (address.split(/[?#]/u)[0] ?? "").split(/[/\\]/u);
}
