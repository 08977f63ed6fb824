import { asRecord } from "./fake-api.ts";

const BLOCKS_MAX = 50;
const FIELDS_MAX = 10;
const ELEMENTS_MAX = 10;
const BLOCK_ID_MAX_CHARS = 255;
const TEXT_MAX_CHARS = { header: 150, section: 3_000, field: 2_000, element: 3_000 };
/** The allowed members of each block besides its type and id, by Block Kit; other types are refused. */
const MEMBERS: Record<string, readonly string[]> = {
  divider: [],
  header: ["text"],
  section: ["text", "fields", "accessory", "expand"],
  context: ["elements"],
};
const TEXT_MEMBERS: Record<string, readonly string[]> = {
  plain_text: ["type", "text", "emoji"],
  mrkdwn: ["type", "text", "verbatim"],
};

/** Slack's messages about invalid blocks, as in `response_metadata.messages`; empty for valid ones. */
export function blockProblems(blocks: readonly unknown[]): string[] {
  const tooMany = blocks.length > BLOCKS_MAX ? [problem(`no more than ${BLOCKS_MAX} items allowed`, "/blocks")] : [];
  const ids = blocks.map((block) => asRecord(block)?.["block_id"]);
  const twice = ids.flatMap((id, index) =>
    id !== undefined && ids.indexOf(id) < index
      ? [problem(`block_id already exists: ${String(id)}`, `/blocks/${index}/block_id`)]
      : [],
  );
  return [...tooMany, ...twice, ...blocks.flatMap((block, index) => oneBlock(asRecord(block), `/blocks/${index}`))];
}

function oneBlock(block: Record<string, unknown> | null, at: string): string[] {
  const { type, block_id: id, ...members } = block ?? {};
  const known = typeof type === "string" && Object.hasOwn(MEMBERS, type) ? MEMBERS[type] : undefined;
  if (known === undefined) return [problem(`unsupported type: ${String(type)}`, `${at}/type`)];
  const problems = unknown(members, known, at);
  if (id !== undefined && (typeof id !== "string" || id.length > BLOCK_ID_MAX_CHARS)) {
    problems.push(problem(`must be less than ${BLOCK_ID_MAX_CHARS + 1} characters`, `${at}/block_id`));
  }
  const { text, fields, elements } = members;
  if (type === "header") problems.push(...oneText(text, `${at}/text`, TEXT_MAX_CHARS.header, ["plain_text"]));
  if (type === "context") problems.push(...list(elements, `${at}/elements`, ELEMENTS_MAX, TEXT_MAX_CHARS.element));
  if (type !== "section") return problems;
  if (text === undefined && fields === undefined) problems.push(problem("must define either `text` or `fields`", at));
  if (text !== undefined) problems.push(...oneText(text, `${at}/text`, TEXT_MAX_CHARS.section));
  if (fields !== undefined) problems.push(...list(fields, `${at}/fields`, FIELDS_MAX, TEXT_MAX_CHARS.field));
  return problems;
}

function list(value: unknown, at: string, max: number, maxChars: number): string[] {
  if (!Array.isArray(value)) return [problem("must provide an array", at)];
  const texts: unknown[] = value;
  if (texts.length === 0) return [problem("no fewer than 1 items allowed", at)];
  if (texts.length > max) return [problem(`no more than ${max} items allowed`, at)];
  return texts.flatMap((text, index) => oneText(text, `${at}/${index}`, maxChars));
}

function oneText(value: unknown, at: string, maxChars: number, types = Object.keys(TEXT_MEMBERS)): string[] {
  const object = asRecord(value);
  if (object === null) return [problem("must provide an object", at)];
  const { type, text } = object;
  if (typeof type !== "string" || !types.includes(type)) {
    return [problem(`unsupported type: ${String(type)}`, `${at}/type`)];
  }
  const problems = unknown(object, TEXT_MEMBERS[type] ?? [], at);
  if (typeof text !== "string") return [...problems, problem("missing required field: text", at)];
  if (text === "") problems.push(problem("must be more than 0 characters", `${at}/text`));
  if (text.length > maxChars) problems.push(problem(`must be less than ${maxChars + 1} characters`, `${at}/text`));
  return problems;
}

function unknown(members: Record<string, unknown>, known: readonly string[], at: string): string[] {
  const others = Object.keys(members).filter((name) => !known.includes(name));
  return others.map((name) => problem(`invalid additional property: ${name}`, at));
}

function problem(words: string, at: string): string {
  return `[ERROR] ${words} [json-pointer:${at}]`;
}
