/** One choice of the palette. */
export interface Entry {
  /** Unique among the shown entries. */
  key: string;
  label: string;
  group: "page" | "workflow" | "connection" | "agent" | "pool" | "action" | "recent" | "id";
  /** Further words that find it. */
  words?: string;
  /** The page that it opens, or what it does. */
  run: { href: string } | (() => void);
}

/** How well one typed word fits. */
const WHOLE = 5;
const START = 4;
const WORD_START = 3;
const INSIDE = 2;
const IN_ORDER = 1;
/** Commands come after things of the same rank: their labels contain the things' names. */
const ACTION = -0.5;

/**
 * The entries that match every typed word, the best first. A word counts most at the start of the label, then at the
 * start of a word, then inside a word; last, its letters may occur in this order with others between them.
 */
export function bestMatches(entries: readonly Entry[], typed: string, max: number): Entry[] {
  const words = wordsOf(typed);
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank || a.entry.label.length - b.entry.label.length)
    .slice(0, max)
    .map(({ entry }) => entry);
}

/** 0 when a word does not match. */
function rankOf({ label, words = "", group }: Entry, typed: readonly string[]): number {
  const ranks = typed.map((word) => Math.max(rankIn(label.toLowerCase(), word), rankIn(words.toLowerCase(), word) - 1));
  if (ranks.length === 0 || ranks.some((rank) => rank <= 0)) return 0;
  const isWhole = wordsOf(label).join(" ") === typed.join(" ");
  const sum = ranks.reduce((total, rank) => total + rank, 0) / ranks.length;
  return (isWhole ? WHOLE : sum) + (group === "action" ? ACTION : 0);
}

function rankIn(text: string, word: string): number {
  if (text.startsWith(word)) return START;
  const at = text.indexOf(word);
  if (at >= 0) return wordsOf(text).some((one) => one.startsWith(word)) ? WORD_START : INSIDE;
  return isInOrder(text, word) ? IN_ORDER : 0;
}

/** Whether the letters occur in this order, the first at the start of a word: "rwb" in "restart web". */
function isInOrder(text: string, letters: string): boolean {
  return wordsOf(text).some((start, index, words) => {
    if (letters === "" || !start.startsWith(letters.slice(0, 1))) return false;
    let at = 0;
    for (const letter of words.slice(index).join("")) if (letter === letters[at]) at += 1;
    return at === letters.length;
  });
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
