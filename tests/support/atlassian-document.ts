import { asRecord } from "./fake-api.ts";

/**
 * The allowed children of each node of a document, and whether it has attributes (Atlassian Document Format, version
 * 1).
 */
const NODES: Record<string, { children: readonly string[] | null; attrs: readonly string[] }> = {
  doc: { children: ["paragraph", "bulletList", "orderedList", "codeBlock", "heading", "rule"], attrs: [] },
  paragraph: { children: ["text", "hardBreak"], attrs: [] },
  heading: { children: ["text", "hardBreak"], attrs: ["level"] },
  bulletList: { children: ["listItem"], attrs: [] },
  orderedList: { children: ["listItem"], attrs: ["order"] },
  listItem: { children: ["paragraph", "bulletList", "orderedList", "codeBlock"], attrs: [] },
  codeBlock: { children: ["text"], attrs: ["language"] },
  text: { children: null, attrs: [] },
  hardBreak: { children: null, attrs: [] },
  rule: { children: null, attrs: [] },
};

/** The problems of a document; empty for one that Jira would accept. */
export function documentProblems(value: unknown): string[] {
  const document = asRecord(value);
  if (document?.["type"] !== "doc" || document["version"] !== 1) return ["is not a document of version 1"];
  const { version, ...node } = document;
  void version;
  return nodeProblems(node, "doc");
}

function nodeProblems(node: Record<string, unknown>, path: string): string[] {
  const { type, content, attrs, text, marks, ...rest } = node;
  const rule = typeof type === "string" ? NODES[type] : undefined;
  if (rule === undefined) return [`${path} has the type ${String(type)}`];
  const problems = Object.keys(rest).map((name) => `${path} has a field ${name}`);
  const wrongAttrs = Object.keys(asRecord(attrs ?? {}) ?? { attrs }).filter((name) => !rule.attrs.includes(name));
  problems.push(...wrongAttrs.map((name) => `${path} has an attribute ${name}`));
  if (type === "text") {
    if (typeof text !== "string" || text === "") problems.push(`${path} is an empty text`);
    else if (text.includes("\n") && !path.includes("codeBlock"))
      problems.push(`${path} has a line break inside its text`);
    // oxlint-disable-next-line no-control-regex
    else if (/[\u0000-\u0008\u000b-\u001f]/u.test(text)) problems.push(`${path} has a control character`);
    problems.push(...markProblems(marks, path));
  } else if (text !== undefined || marks !== undefined) problems.push(`${path} is no text and has text or marks`);
  if (rule.children === null) return content === undefined ? problems : [...problems, `${path} has content`];
  if (content === undefined) return type === "paragraph" ? problems : [...problems, `${path} has no content`];
  if (!Array.isArray(content)) return [...problems, `${path} has content that is no list`];
  if (content.length === 0 && /List|listItem/u.test(String(type))) problems.push(`${path} is empty`);
  const children: unknown[] = content;
  for (const [index, child] of children.entries()) {
    const inner = asRecord(child);
    const childType = String(inner?.["type"]);
    const place = `${path}/${index}:${childType}`;
    if (inner === null || !rule.children.includes(childType)) problems.push(`${place} is not allowed there`);
    else problems.push(...nodeProblems(inner, place));
  }
  return problems;
}

function markProblems(marks: unknown, path: string): string[] {
  if (marks === undefined) return [];
  if (path.includes("codeBlock") || !Array.isArray(marks)) return [`${path} has marks where none may be`];
  const list: unknown[] = marks;
  return list.flatMap((mark) => {
    const { type, attrs } = asRecord(mark) ?? {};
    const href = asRecord(attrs)?.["href"];
    const fine = type === "link" && typeof href === "string" && URL.canParse(href);
    return fine ? [] : [`${path} has a mark that is no link`];
  });
}
