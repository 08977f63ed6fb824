/** A token of SQL that is neither space nor comment. `text` is in upper case for words. */
export interface Token {
  kind: "word" | "parameter" | "quoted" | "sign";
  text: string;
  start: number;
  end: number;
}

const TOKEN =
  /(\s+|--[^\n]*|\/\*[^]*?(?:\*\/|$))|('[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?)|(\?\d*|[:@$][\w$\u0080-\uffff]+(?:::[\w$\u0080-\uffff]+)*)|([\w\u0080-\uffff][\w$\u0080-\uffff]*)|[^]/gy;

/**
 * Splits a text into its statements, each as its tokens, without the semicolons in between. A trigger is one statement:
 * as in `sqlite3_complete`, it ends with `; END` and not at the semicolons of its body. A doubled quote inside a
 * literal gives two adjacent literals, which is harmless to the users of these tokens.
 */
export function splitStatements(sql: string): Token[][] {
  const statements: Token[][] = [];
  let current: Token[] = [];
  for (const token of tokens(sql)) {
    if (token.text !== ";" || isInsideTrigger(current)) {
      current.push(token);
    } else if (current.length > 0) {
      statements.push(current);
      current = [];
    }
  }
  if (current.length > 0) statements.push(current);
  return statements;
}

function* tokens(sql: string): Generator<Token> {
  for (const match of sql.matchAll(TOKEN)) {
    const [text, space, quoted, parameter, word] = match;
    if (space !== undefined) continue;
    const start = match.index;
    const kind =
      word !== undefined ? "word" : parameter !== undefined ? "parameter" : quoted !== undefined ? "quoted" : "sign";
    yield { kind, text: word?.toUpperCase() ?? text, start, end: start + text.length };
  }
}

function isInsideTrigger(statement: Token[]): boolean {
  const [create, second, third] = statement;
  if (create?.text !== "CREATE") return false;
  const isTemporary = second?.text === "TEMP" || second?.text === "TEMPORARY";
  if ((isTemporary ? third : second)?.text !== "TRIGGER") return false;
  return statement.at(-1)?.text !== "END" || statement.at(-2)?.text !== ";";
}
