/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | readonly Html[] | string | number | null;

/** A template whose values are escaped, but for what is HTML itself; null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const parts = strings.map((part, index) => part + render(values[index] ?? null));
  return new Html(parts.join(""));
}

/** Text with `code` in it, a paragraph for every blank line. */
export function prose(text: string): readonly Html[] {
  return text.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

/** Text with `code` in it. */
export function inline(text: string): readonly Html[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function render(value: Value): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map((part) => part.text).join("");
  return escape(String(value));
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (char) => `&#${char.charCodeAt(0)};`);
}
