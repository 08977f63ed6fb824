import type { JsonValue } from "../../schema/contract/json.ts";
import { SQL_VALUE_PREFIX, encodeSqlValue, sqlParameterPlaceholder } from "../../schema/contract/sql-values.ts";
import { checkSqlValue } from "./render-named-values.ts";
import { TemplateFailure } from "./template/failure.ts";
import { MARK, marked } from "./template/marks.ts";
import { parseTemplate, templatesOf } from "./template/parse.ts";
import type { Template } from "./template/parse.ts";
import { evaluate } from "./template/filters.ts";
import { sqlPlaces } from "./template/sql.ts";
import { textOf } from "./template/value.ts";
import type { Resolve } from "./template/value.ts";

/**
 * The statement with a placeholder for each template and each parameter, and the bound values
 * (schema/contract/sql-values.ts). A template is bound as text, or as the type of its narrowing filter; an unresolved
 * one is NULL. Throws `TemplateFailure`.
 */
export function renderSql(
  text: string,
  resolve: Resolve,
  parameters: ReadonlySet<string>,
): { query: string; values: Record<string, string>; templates: Record<string, string> } {
  const parsed = parseTemplate(text);
  const source = marked(parsed);
  const { names } = sqlPlaces(source, parameters);
  const values: Record<string, string> = {};
  const templates: Record<string, string> = {};
  const nameOf = new Map<string, string>();
  const edits = names
    .filter(({ name }) => parameters.has(name))
    .map(({ name, start, end }) => ({ start, end, text: sqlParameterPlaceholder(name) }));
  let mark = -1;
  for (const template of templatesOf(parsed)) {
    mark = source.indexOf(MARK, mark + 1);
    const known = nameOf.get(template.source);
    const name = known ?? `${SQL_VALUE_PREFIX}${nameOf.size + 1}`;
    if (known === undefined) {
      nameOf.set(template.source, name);
      values[name] = encodeSqlValue(checkSqlValue(scalarOf(template, resolve)));
      templates[name] = template.source;
    }
    edits.push({ start: mark, end: mark + 1, text: `:${name}` });
  }
  edits.sort((a, b) => a.start - b.start);
  let query = "";
  let done = 0;
  for (const edit of edits) {
    query += source.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  return { query: query + source.slice(done), values, templates };
}

/** A value of the type of its narrowing filter, else a text; null without a value. */
function scalarOf(template: Template, resolve: Resolve): JsonValue {
  const value = evaluate(template, resolve);
  const isTyped = /^(?:int|number|bool)$/u.test(template.filters.at(-1)?.name ?? "");
  if (value === undefined || value === null || (isTyped && value === "")) return null;
  if (typeof value === "object") {
    const what = Array.isArray(value) ? "a list" : "an object";
    const message = `The value of ${template.source} is ${what}, and only a single value can be bound. Name a value inside it, or use | json.`;
    throw new TemplateFailure("unsafe_value", message);
  }
  return isTyped ? value : textOf(value);
}
