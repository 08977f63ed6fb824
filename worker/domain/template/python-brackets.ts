/** What stands between two commas. */
export interface Element {
  texts: string[];
  tokens: number;
  /** Nothing but texts that are written out. */
  plain: boolean;
  /** It holds a name, so what it is is known only when the script runs. */
  dynamic: boolean;
  /** A text is put together in it. */
  joins: boolean;
  readonly templates: number[];
  /** The name of `name=…`. */
  keyword: string | null;
  /** The name read last, unless it is an attribute. */
  name: string | null;
  star: boolean;
  /** It is False or None. */
  off: boolean;
  /** A list, a tuple or an expression in brackets. */
  child: Bracket | null;
}

export interface Bracket {
  readonly char: string;
  /** The call that it belongs to, with its module. */
  readonly callee: string | null;
  /** Its number among the tokens. */
  readonly start: number;
  readonly elements: Element[];
  element: Element;
  /** A loader that only reads data. */
  loadsSafely: boolean;
}

export function newBracket(char: string, callee: string | null, start: number): Bracket {
  return { char, callee, start, elements: [], element: newElement(), loadsSafely: false };
}

export function nextElement(bracket: Bracket): void {
  bracket.elements.push(bracket.element);
  bracket.element = newElement();
}

export function closeElement(bracket: Bracket): void {
  if (bracket.element.tokens > 0 || bracket.element.templates.length > 0) nextElement(bracket);
}

/** The texts of elements that are written out; null for all others. */
export function wordsOf(elements: readonly Element[]): (string | null)[] {
  return elements.map(({ plain, texts, star }) => (plain && !star && texts.length > 0 ? texts.join("") : null));
}

/** The name that an element is, alone. */
export function onlyName({ tokens, name }: Element): string | null {
  return tokens === 1 ? name : null;
}

/** The list that an element is, alone. */
export function onlyList({ tokens, child }: Element): Bracket | null {
  return tokens === 1 && child !== null && child.char !== "{" ? child : null;
}

export function newElement(): Element {
  return {
    texts: [],
    tokens: 0,
    plain: true,
    dynamic: false,
    joins: false,
    templates: [],
    keyword: null,
    name: null,
    star: false,
    off: false,
    child: null,
  };
}
