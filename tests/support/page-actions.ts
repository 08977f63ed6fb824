/** Markdown between backticks, outside of blocks. */
export function codeIn(text: string): string[] {
  const withoutBlocks = text.replaceAll(/^```[\s\S]*?^```$/gmu, "");
  return [...withoutBlocks.matchAll(/`([^`\n]+)`/gu)].map(([, code = ""]) => code);
}

/** The facts about one action in the section "Actions" of a connection's page. */
export interface StatedFacts {
  /** The stated effects, in italics or as a cell of a table. */
  effects: string[];
  /** Every name in passages about this action or about all actions. */
  named: Set<string>;
  /** The parameters in its own list or cell; none where paragraphs name them. */
  listed: string[];
  /** The first column of the section's table of parameters, which is about all its actions; null without such a table. */
  rows: string[] | null;
}

const EVERY_ACTION = /\b(?:Both|All|all three|Every\s+action)\b/u;
const OUTPUT = /^Output:|\| output \|/u;

/**
 * Reads the passages that begin with the action: a bullet, a row, a paragraph. A paragraph or table about all actions
 * counts for each one, and on the page of a single action all of them do.
 */
export function statedFactsOf(action: string, section: string, actions: readonly string[]): StatedFacts {
  // A table belongs to the paragraph above it.
  const blocks = section.trim().split(/\n{2,}(?!\|)/u);
  const passages = blocks.flatMap((block) => block.split(/^(?=- |\| `)/mu));
  const begins = (passage: string, name: string): boolean =>
    passage.replace(/^(?:- |\| )/u, "").startsWith(`\`${name}\``);
  const own = passages.filter((passage) => begins(passage, action));
  const isShared = (block: string): boolean =>
    !actions.some((name) => begins(block, name)) && (EVERY_ACTION.test(block) || OUTPUT.test(block));
  const shared = actions.length === 1 ? blocks : blocks.filter(isShared);
  const table = /^\| parameter \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n?)+)/mu.exec(section)?.[1];
  const ownEffects = own.flatMap(effectsIn);
  return {
    effects: [...new Set(ownEffects.length > 0 ? ownEffects : shared.flatMap(effectsIn))].toSorted(),
    named: new Set(
      [...own, ...shared].flatMap((text) => codeIn(text).flatMap((code) => code.split(/[^A-Za-z0-9_]+/u))),
    ),
    listed: own
      .flatMap((passage) => codeIn(listIn(passage, section)))
      .flatMap((code) => /^([a-z][A-Za-z]*)\??$/u.exec(code)?.[1] ?? []),
    rows: table === undefined ? null : table.split("\n").flatMap((row) => codeIn(row.split("|")[1] ?? "")),
  };
}

function effectsIn(text: string): string[] {
  return [...text.matchAll(/\*(read|idempotent|unsafe)\*|\| (read|idempotent|unsafe) \|/gu)].flatMap(
    ([, italic, cell]) => italic ?? cell ?? [],
  );
}

/** The parameters of "- `x`, *effect*: `a`, `b`. More words.", or of the cell of a table's column for them. */
function listIn(passage: string, section: string): string {
  const cell = section.includes("| action | parameters |") ? /^\| [^|]*\| ([^|]*) \|/u.exec(passage)?.[1] : undefined;
  return cell ?? /^- [^:]*: (.*?)(?:\.\s|\.?$)/su.exec(passage)?.[1] ?? "";
}
