/** A template inside a word of the shell. */
export interface WordTemplate {
  readonly index: number;
  readonly quoting: "bare" | "double";
}

/** One word of a shell command, as far as it can be known before it runs. */
export interface Word {
  /** As it was written. */
  readonly raw: string;
  /** What it is after the shell removed its quotes; null when an expansion or a template decides that. */
  readonly literal: string | null;
  /** The same when its expansions are empty. */
  readonly residue: string;
  /** What stands before its first expansion, which may end the word there. */
  readonly prefix: string;
  readonly templates: readonly WordTemplate[];
  /** Templates of commands that are substituted in this word: it carries what those commands print. */
  readonly inner: readonly number[];
  /** The variables that it expands, also in commands that are substituted in it. */
  readonly variables: readonly string[];
  /** `name=$(…)` or `name=$((…))` whose value is a number, whatever goes into it. */
  readonly isNumber: boolean;
  /** The elements of `name=(…)` when all of them are plain; null for everything else. */
  readonly elements: readonly string[] | null;
  readonly start: number;
  readonly end: number;
}

/** `NAME=…` or `NAME+=…`, written plainly. */
export const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/u;
/** `NAME[subscript]=…`, with no template in the subscript. */
export const ELEMENT_ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\[[^\]\0]*\]\+?=/u;

/** `NAME=(…)` and `NAME[subscript]=…`. */
export const ARRAY_ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(?:\+?=\(|\[)/u;

/** The shell evaluates what it finds in these. */
const EVALUATED_NAMES =
  /^(?:RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|LINENO|OPTIND|HISTCMD|BASH_ENV|ENV|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|BASH_FUNC_.*)$/u;
/** And programs run what they find in these. */
const NAMES_OF_CODE =
  /^(?:PATH|LD_[A-Z_]+|PERL5(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|NODE_OPTIONS|PYTHON(?:STARTUP|PATH|HOME)|EDITOR|VISUAL|BROWSER|(?:[A-Z]+_)*PAGER|LESS(?:OPEN|CLOSE)|GIT_[A-Z_]*(?:COMMAND|EDITOR|DIFF|CONFIG|SSH)[A-Z0-9_]*|[A-Z]+_ASKPASS)$/u;

export function isAssignment(word: Word): boolean {
  return ASSIGNMENT.test(word.raw) || ELEMENT_ASSIGNMENT.test(word.raw);
}

/** Whether the shell, or a program that it starts, evaluates what it finds in a variable of this name. */
export function isEvaluatedName(name: string): boolean {
  return EVALUATED_NAMES.test(name) || NAMES_OF_CODE.test(name);
}

/** The name that an assignment gives a value to. */
export function assignedName(word: Word): string {
  return /^[A-Za-z0-9_]*/u.exec(word.raw)?.[0] ?? "";
}

/** Every template on which this word depends. */
export function templatesOf(word: Word): number[] {
  return [...word.templates.map(({ index }) => index), ...word.inner];
}

export function hasTemplates(word: Word): boolean {
  return word.templates.length > 0 || word.inner.length > 0;
}

/** A program's name without its folder. */
export function programOf(word: Word): string | null {
  return word.literal === null ? null : (word.literal.split("/").at(-1) ?? null);
}

/** Whether an expansion may make this word none, or several: only quotes prevent that, and not for lists. */
export function mayVanish(word: Word): boolean {
  return word.literal === null && word.residue === "" && !/^"[^@]*"$/u.test(word.raw);
}

/** What the words of a command may be besides what they seem: when expansions give nothing, and when they give blanks. */
export function readingsOf(words: readonly Word[]): readonly (readonly Word[])[] {
  const isPlain = (word: Word) => word.literal !== null || hasTemplates(word);
  if (words.every(isPlain)) return [words];
  return [
    words,
    withoutExpansions(words),
    words.map((word) => (isPlain(word) || word.prefix === "" ? word : { ...word, literal: word.prefix })),
  ];
}

/** `${PREFIX}eval` is `eval`, and `$SUDO` is no word at all. */
function withoutExpansions(words: readonly Word[]): Word[] {
  return words.flatMap((word) => {
    if (word.literal !== null || hasTemplates(word)) return [word];
    return mayVanish(word) ? [] : [{ ...word, literal: word.residue }];
  });
}

/** `${e}al`: letters beside a variable may spell a builtin; a path with a slash in it is none. */
export function isPutTogether({ raw }: Word): boolean {
  const left = raw.replaceAll(/\$\{\w+\}|\$\w+|["']/gu, "");
  return left !== raw && /^\w+$/u.test(left);
}
