/** Text that is already HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Value = Html | readonly Html[] | string | number | null;

/** A template that escapes its values, except `Html`. Null is empty. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const parts = strings.map((part, index) => part + render(values[index] ?? null));
  return new Html(parts.join(""));
}

/** Text with `code` in it. A blank line begins a new paragraph. */
export function prose(text: string): readonly Html[] {
  return text.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

/** Text with `code` in it. */
export function inline(text: string): readonly Html[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** A part of the page, listed in the contents. */
export function section(id: string, title: string, content: Value): Html {
  return html`<section id="${id}">
    <h2>${title}</h2>
    ${content}
  </section>`;
}

/** A part of a section, whose heading links to itself. */
export function article(id: string, title: string, content: Value): Html {
  return html`<article id="${id}">
    <h3><a href="#${id}">${title}</a></h3>
    ${content}
  </article>`;
}

/** Content that opens with a click on its summary. */
export function details(id: string | null, summary: Value, content: Value): Html {
  return html`<details class="answer" ${id === null ? null : html`id="${id}"`}>
    <summary>${summary}</summary>
    ${content}
  </details>`;
}

export function table(heads: readonly string[], rows: readonly (readonly Value[])[]): Html {
  const cells = (row: readonly Value[]) => row.map((cell) => html`<td>${cell}</td>`);
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th>${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cells(row)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The name of a field or a parameter. */
export function fieldName(name: string, required: boolean): Html {
  return html`<code>${name}</code>${required ? null : html` <small>optional</small>`}`;
}

export function join(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? "" : between}${part}`)}`;
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
