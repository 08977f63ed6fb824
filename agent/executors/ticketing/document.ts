import type { JsonObject } from "../../../schema/contract/json.ts";

/** Output contains terminal colours and other control characters. Jira refuses them or shows boxes. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/gu;
/** Applied to a trimmed line: two runs of blanks in one pattern would backtrack against each other. */
const OPENING_FENCE = /^```\s*([A-Za-z0-9+#-]*)$/u;
const CLOSING_FENCE = "```";
const BULLET = /^[-*•] +(\S.*)$/u;
const NUMBERED = /^(\d{1,9})[.)] +(\S.*)$/u;
const ADDRESS = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?'()[\]{}]/gu;

/**
 * A plain text in the Atlassian Document Format (version 1), which REST v3 requires for descriptions and comments.
 * Blank lines separate paragraphs, line breaks stay, and addresses become links. Lines that begin with `-`, `*` or
 * rising numbers become lists; text between lines of three backticks becomes code. Invisible text gives no content.
 */
export function documentOf(text: string): JsonObject & { content: JsonObject[] } {
  const lines = text.toWellFormed().replaceAll(/\r\n?/gu, "\n").replaceAll(UNSEEN, "").split("\n");
  const closings = closingFences(lines);
  const content: JsonObject[] = [];
  let paragraph: string[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > 0) content.push({ type: "paragraph", content: inline(paragraph) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length;) {
    const block = codeAt(lines, at, closings) ?? listAt(lines, at);
    const line = lines[at] ?? "";
    if (block !== null) {
      endParagraph();
      content.push(block.node);
      at = block.next;
      continue;
    }
    if (line.trim() === "") endParagraph();
    else paragraph.push(line);
    at += 1;
  }
  endParagraph();
  return { type: "doc", version: 1, content };
}

interface Block {
  node: JsonObject;
  /** The line after it. */
  next: number;
}

function codeAt(lines: readonly string[], at: number, closings: readonly (number | null)[]): Block | null {
  const opening = OPENING_FENCE.exec((lines[at] ?? "").trim());
  if (opening === null) return null;
  const end = closings[at] ?? null;
  // A fence without an end is text.
  if (end === null) return null;
  const code = lines.slice(at + 1, end).join("\n");
  const [, language = ""] = opening;
  const node: JsonObject = {
    type: "codeBlock",
    ...(language === "" ? {} : { attrs: { language: language.toLowerCase() } }),
    // A text node must not be empty.
    content: code === "" ? [] : [{ type: "text", text: code }],
  };
  return { node, next: end + 1 };
}

/** For each line the next one that closes code. A search from each fence would take quadratic time. */
function closingFences(lines: readonly string[]): (number | null)[] {
  const closings: (number | null)[] = [];
  let next: number | null = null;
  for (const [index, line] of lines.toReversed().entries()) {
    closings.push(next);
    if (line.trim() === CLOSING_FENCE) next = lines.length - 1 - index;
  }
  return closings.toReversed();
}

function listAt(lines: readonly string[], at: number): Block | null {
  const first = NUMBERED.exec(lines[at] ?? "");
  const order = first === null ? null : Number(first[1]);
  const items: JsonObject[] = [];
  for (let index = at; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const numbered = NUMBERED.exec(line);
    const goesOn = order !== null && numbered !== null && Number(numbered[1]) === order + items.length;
    const text = order === null ? BULLET.exec(line)?.[1] : goesOn ? numbered[2] : undefined;
    if (text === undefined) break;
    items.push({ type: "listItem", content: [{ type: "paragraph", content: inline([text]) }] });
  }
  // A single numbered line may be a sentence: "2026. was a good year".
  if (items.length === 0 || (order !== null && items.length === 1)) return null;
  const node: JsonObject =
    order === null ? { type: "bulletList", content: items } : { type: "orderedList", attrs: { order }, content: items };
  return { node, next: at + items.length };
}

function inline(lines: readonly string[]): JsonObject[] {
  return lines.flatMap((line, index) => [...(index === 0 ? [] : [{ type: "hardBreak" }]), ...linked(line)]);
}

function linked(line: string): JsonObject[] {
  const nodes: JsonObject[] = [];
  let from = 0;
  for (const match of line.matchAll(ADDRESS)) {
    const [address] = match;
    if (!URL.canParse(address)) continue;
    if (match.index > from) nodes.push({ type: "text", text: line.slice(from, match.index) });
    nodes.push({ type: "text", text: address, marks: [{ type: "link", attrs: { href: address } }] });
    from = match.index + address.length;
  }
  if (from < line.length) nodes.push({ type: "text", text: line.slice(from) });
  return nodes;
}
