import { join } from "node:path";
import { Glob } from "bun";
import { CODE_ENDINGS } from "./check-docs.ts";
import { ROOT } from "./paths.ts";

/** Idioms that readers had to read twice, each with the plain words to write. AGENTS.md has the rule. */
const IDIOMS: readonly { words: RegExp; write: string }[] = [
  { words: /\b(?:told|tells?|telling|untold)\b/giu, write: "report, notify, say, show" },
  { words: /\b(?:stands?|stood)\b(?!-)/giu, write: "be, be in, be at" },
  { words: /\banew\b/giu, write: "again" },
  { words: /\bmend(?:s|ed|ing|able)?\b/giu, write: "fix, change, repair" },
  { words: /\bwho(?:so)?ever\b/giu, write: "the person who, the caller" },
  { words: /\bnobody\b/giu, write: "no one" },
  { words: /\bsomebody\b/giu, write: "someone, another person" },
  { words: /\bwhatever\b/giu, write: "any, every, or the thing itself" },
  { words: /\bany more\b/giu, write: "no longer" },
  { words: /\bof (?:its|their|his|her|one's|our) own(?: accord)?\b/giu, write: "its own …, separate, by itself" },
  { words: /\b(?:what|that) is none\b|\bis none of\b/giu, write: "is not, has no" },
];
const FOLDERS = ["schema", "worker", "agent", "console", "scripts", "bench", "chaos", "tests", "docs"];
const TEXTS = [...FOLDERS.map((folder) => `${folder}/**/*.{${CODE_ENDINGS},md}`), "*.md", "*.toml", ".ci/*"];
/** These files name the idioms. */
const EXCEPT = new Set(["scripts/check-words.ts", "tests/scripts/check-words.test.ts"]);

/** `file:line: "word" is hard to read. Write …` for each idiom in the repository. */
export async function checkWords(): Promise<string[]> {
  const paths = (await Promise.all(TEXTS.map((each) => Array.fromAsync(new Glob(each).scan(ROOT))))).flat();
  if (paths.length < 1_000) throw new Error(`only ${paths.length} files were found: this check would check nothing`);
  const found = await Promise.all(
    paths
      .filter((path) => !EXCEPT.has(path))
      .toSorted()
      .map(async (path) => idiomsIn(await Bun.file(join(ROOT, path)).text()).map((hit) => `${path}:${hit}`)),
  );
  return found.flat();
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
