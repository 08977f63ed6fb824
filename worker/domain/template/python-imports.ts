/** What a script's names stand for, by its import statements. */
export interface PythonImports {
  /** By its name in the script: `l` for `from pickle import loads as l` is `pickle.loads`. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly modules: ReadonlySet<string>;
  /** All of these modules' names are the script's own: `from os import *`. */
  readonly stars: readonly string[];
}

const FROM = /(?:^|[;:])[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n;#]*)/gmu;
const IMPORT = /(?:^|[;:])[ \t]*import[ \t]+([^\n;#]*)/gmu;
const PART = /([\w.]+)(?:\s+as\s+(\w+))?/gu;

/** A statement inside a text counts, too: one name more that is known does no harm. */
export function importsOf(source: string): PythonImports {
  const text = source.normalize("NFKC").replaceAll(/\\\r?\n/gu, " ");
  const aliases = new Map<string, string>();
  const modules = new Set<string>();
  const stars: string[] = [];
  for (const [, module = "", names = ""] of text.matchAll(FROM)) {
    modules.add(module);
    if (names.trim() === "*") stars.push(module);
    for (const [, name = "", alias] of names.matchAll(PART)) aliases.set(alias ?? name, `${module}.${name}`);
  }
  for (const [, names = ""] of text.matchAll(IMPORT)) {
    for (const [, module = "", alias] of names.matchAll(PART)) {
      modules.add(module);
      if (alias !== undefined) aliases.set(alias, module);
    }
  }
  return { aliases, modules, stars };
}

/** `p.loads` as `pickle.loads`. */
export function asImported(dotted: string, { aliases }: PythonImports): string {
  const [root = "", ...rest] = dotted.split(".");
  return [aliases.get(root) ?? root, ...rest].join(".");
}
