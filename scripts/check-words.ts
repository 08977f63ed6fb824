import { join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./paths.ts";

/** Idioms that readers had to read twice, each with the plain words to write. AGENTS.md has the rule. */
const IDIOMS: readonly { words: RegExp; write: string }[] = [
  { words: /\b(?:told|tells?|telling|untold)\b/giu, write: "report, notify, say, show" },
  { words: /\b(?:stands?|stood)\b(?!-)/giu, write: "be, be in, be at" },
  { words: /\banew\b/giu, write: "again" },
  { words: /\bmend(?:s|ed|ing|able)?\b/giu, write: "fix, change, repair" },
  { words: /\bwho(?:so)?ever\b/giu, write: "the person who, the caller" },
  { words: /\bnobody\b/giu, write: "no one" },
  { words: /\bof (?:its|their|his|her|one's|our) own(?: accord)?\b/giu, write: "its own …, separate, by itself" },
  { words: /\b(?:what|that) is none\b|\bis none of\b/giu, write: "is not, has no" },
];
const FOLDERS = ["schema", "worker", "agent", "console", "scripts", "bench", "chaos", "tests", "docs"];
const TEXTS = [...FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,mjs,sh,ps1,md}`), "*.md"];
/** How many idioms a file still has: written before this check, and to be rewritten. A number may only fall. */
const ALLOWED = join(ROOT, "scripts/words-to-rewrite.json");
/** They name the idioms. */
const EXCEPT = new Set(["scripts/check-words.ts", "tests/scripts/check-words.test.ts"]);

/** Every file with more idioms than it had. `lower` writes the numbers of files that have fewer. */
export async function checkWords(lower: boolean): Promise<string[]> {
  const file = Bun.file(ALLOWED);
  const allowed: Record<string, number> = await file.json();
  const found = await countIdioms();
  const problems: string[] = [];
  const kept: Record<string, number> = {};
  for (const [path, hits] of found) {
    const limit = allowed[path] ?? 0;
    if (hits.length > limit) problems.push(...hits.map((hit) => `${path}:${hit}`));
    else kept[path] = hits.length;
  }
  const fell = Object.entries(allowed).filter(([path, limit]) => (found.get(path)?.length ?? 0) < limit);
  if (fell.length > 0 && lower) await Bun.write(file, `${JSON.stringify(kept, null, 2)}\n`);
  else
    problems.push(
      ...fell.map(([path]) => `${path} has fewer idioms than scripts/words-to-rewrite.json says. Run npm run derive.`),
    );
  return problems;
}

async function countIdioms(): Promise<Map<string, string[]>> {
  const paths = (await Promise.all(TEXTS.map((each) => Array.fromAsync(new Glob(each).scan(ROOT))))).flat();
  if (paths.length < 1_000) throw new Error(`only ${paths.length} files were found: this check would check nothing`);
  const found = new Map<string, string[]>();
  for (const path of paths.toSorted()) {
    const hits = EXCEPT.has(path) ? [] : idiomsIn(await Bun.file(join(ROOT, path)).text());
    if (hits.length > 0) found.set(path, hits);
  }
  return found;
}

/** `line: "word" reads twice. Write …` for each idiom of a text. */
export function idiomsIn(text: string): string[] {
  return IDIOMS.flatMap(({ words, write }) =>
    [...text.matchAll(words)].map(({ 0: word, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${line} "${word}" is hard to read. Write: ${write}.`;
    }),
  );
}
