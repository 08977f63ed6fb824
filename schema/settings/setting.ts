/** The value of a text, or its problem, as the end of a sentence about the setting: `must be on or off`. */
export type Parsed<T> = { value: T } | { problem: string };

/** One setting of the service or of an agent. Pages, help texts, errors and lists of names derive from it. */
export interface Setting<T> {
  /** A secret's value never appears in errors or logs. */
  readonly kind: "var" | "secret";
  /** One line, for pages and `--help`. */
  readonly help: string;
  /** An addition to the kind, for pages. */
  readonly note?: string;
  /** The value of an unset setting. */
  readonly default: T;
  /** The value of a wrong setting, if it is not the default. */
  readonly whenWrong?: T;
  /** What to set, for the error about a required setting that is missing. */
  readonly give?: string;
  /** `text` is trimmed and not empty; `whole` is the untrimmed value. */
  readonly parse: (text: string, whole: string) => Parsed<T>;
}

/** Rarely used members. */
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
  /** The setting's value. A wrong value is added to the problems. */
  read<N extends keyof V & string>(name: N): V[N];
  /** The value of a required setting: a missing one is added to the problems. */
  need<N extends keyof V & string>(name: N): V[N];
  /** The trimmed text of the setting; null when unset. */
  text(name: keyof V & string): string | null;
}

/** Reads settings from an environment. `howToSet` ends the error about a required setting that is missing. */
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
      if (reader.text(name) === null) problems.push(`${name} is not set. Set it to ${give}${howToSet(name, kind)}`);
      return reader.read(name);
    },
    text: (name) => wholeOf(name).trim() || null,
  };
  return reader;
}

/** The names of a set of declarations; with a kind, only those of that kind. */
export function namesOf<V>(declared: Declared<V>, kind?: Setting<unknown>["kind"]): (keyof V & string)[] {
  const names: (keyof V & string)[] = [];
  for (const name in declared) if (kind === undefined || declared[name].kind === kind) names.push(name);
  return names;
}
