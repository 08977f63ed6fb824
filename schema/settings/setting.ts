/** What a text means, or what is wrong with it, to be read after the setting's name: `must be on or off`. */
export type Parsed<T> = { value: T } | { problem: string };

/** One setting of the service or of an agent. Pages, help texts, errors and lists of names derive from it. */
export interface Setting<T> {
  /** The value of a secret is in no error and no log. */
  readonly kind: "var" | "secret";
  /** One line, for pages and `--help`. */
  readonly help: string;
  /** What pages add to the kind. */
  readonly note?: string;
  /** What counts while nothing is set. */
  readonly default: T;
  /** What counts while something wrong is set, where that is not the default. */
  readonly whenWrong?: T;
  /** What to set, for the error of a setting that is needed and is not set. */
  readonly give?: string;
  /** `text` has no spaces around it, and is not empty; `whole` is what was set. */
  readonly parse: (text: string, whole: string) => Parsed<T>;
}

/** What few settings have. */
type More<T> = Partial<Pick<Setting<T>, "note" | "give" | "whenWrong">>;

export function variable<T>(help: string, parse: Setting<T>["parse"], more: More<T | null> = {}): Setting<T | null> {
  return { kind: "var", help, default: null, parse, ...more };
}

export function secret<T>(help: string, parse: Setting<T>["parse"], more: More<T | null> = {}): Setting<T | null> {
  return { ...variable(help, parse, more), kind: "secret" };
}

export function defaulting<T>(unset: T, help: string, parse: Setting<T>["parse"], more: More<T> = {}): Setting<T> {
  return { kind: "var", help, default: unset, parse, ...more };
}

export type Declared<V> = { readonly [N in keyof V]: Setting<V[N]> };

export interface SettingsReader<V> {
  /** The setting's value. A wrong one is added to the problems. */
  read<N extends keyof V & string>(name: N): V[N];
  /** The same for a setting that is needed: it is a problem where it is not set. */
  need<N extends keyof V & string>(name: N): V[N];
  /** What was set, without spaces around it; null for nothing. */
  text(name: keyof V & string): string | null;
}

/** Reads settings from an environment. `howToSet` ends the error of a setting that is needed and is not set. */
export function readerOf<V>(
  declared: Declared<V>,
  environment: object,
  problems: string[],
  howToSet: (name: string, kind: Setting<unknown>["kind"]) => string = () => "",
): SettingsReader<V> {
  const values = new Map<string, unknown>(Object.entries(environment));
  const wholeOf = (name: string) => {
    const value = values.get(name);
    return typeof value === "string" ? value : "";
  };
  const reader: SettingsReader<V> = {
    read: (name) => {
      const { parse, default: unset, whenWrong = unset } = declared[name];
      const whole = wholeOf(name);
      if (whole.trim() === "") return unset;
      const parsed = parse(whole.trim(), whole);
      if ("value" in parsed) return parsed.value;
      problems.push(`${name} ${parsed.problem}`);
      return whenWrong;
    },
    need: (name) => {
      const { give, kind } = declared[name];
      if (reader.text(name) === null) problems.push(`${name} is not set: give it ${give}${howToSet(name, kind)}`);
      return reader.read(name);
    },
    text: (name) => wholeOf(name).trim() || null,
  };
  return reader;
}

/** The names of a set of declarations; with a kind, of that kind alone. */
export function namesOf<V>(declared: Declared<V>, kind?: Setting<unknown>["kind"]): (keyof V & string)[] {
  const names: (keyof V & string)[] = [];
  for (const name in declared) if (kind === undefined || declared[name].kind === kind) names.push(name);
  return names;
}
