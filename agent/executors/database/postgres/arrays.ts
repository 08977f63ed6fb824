import type { JsonValue } from "../../../../schema/contract/json.ts";

/**
 * Parses the text form of an array, such as `{1,NULL,"a \"b\"",{2}}` (PostgreSQL, "Array Input and Output Syntax").
 * Text of another form, such as one with explicit bounds (`[2:3]={1,2}`), is returned unchanged.
 */
export function parseArray(text: string, readItem: (item: string) => JsonValue): JsonValue {
  if (!text.startsWith("{")) return text;
  let at = 0;
  const list = readList();
  return at === text.length && list !== null ? list : text;

  function readList(): JsonValue[] | null {
    const items: JsonValue[] = [];
    at += 1;
    if (text[at] === "}") {
      at += 1;
      return items;
    }
    for (;;) {
      const item = text[at] === "{" ? readList() : readScalar();
      if (item === null && text[at - 1] === undefined) return null;
      items.push(item);
      const separator = text[at];
      at += 1;
      if (separator === "}") return items;
      if (separator !== ",") return null;
    }
  }

  function readScalar(): JsonValue {
    if (text[at] === '"') return readItem(readQuoted());
    const start = at;
    while (at < text.length && text[at] !== "," && text[at] !== "}") at += 1;
    const item = text.slice(start, at);
    return item === "NULL" ? null : readItem(item);
  }

  function readQuoted(): string {
    let item = "";
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === "\\") at += 1;
      item += text[at] ?? "";
    }
    at += 1;
    return item;
  }
}
