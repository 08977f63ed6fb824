import { join } from "node:path";
import { ts } from "@ts-morph/common";
import { Glob } from "bun";
import { ROOT } from "./paths.ts";

/** Files with commands, configuration, code and events for other programs. */
const FOR_PROGRAMS = new Set([
  "console/vite.config.ts",
  "console/views/agents/install-commands.ts",
  "console/views/integrations/source-config.ts",
]);
/** Values of `KeyboardEvent.key`, names of HTTP headers and borders look like words. */
const NOT_TEXT =
  /^(?:Arrow(?:Up|Down|Left|Right)|Enter|Escape|Tab|Home|End|Delete|Backspace|Shift|Control|Meta|Mod-.*|(?:Authorization: )?Bearer |Authorization|Content-Type|\d+px solid .*|color-mix\(.*|noopener noreferrer|cm-.*)$/u;
/** A capital at the start, or two words. */
const TEXT = /^\s*[A-Z][a-z]+(?:[ .,:…]|$)|\b[A-Za-z]{2,} [A-Za-z]{2,}\b/u;

/** `file:line: "text"` for each text, and each use of `Intl`, that is not in `console/strings/`. */
export async function checkStrings(): Promise<string[]> {
  const all = await Array.fromAsync(new Glob("console/**/*.{ts,tsx}").scan(ROOT));
  const paths = all.filter((path) => !path.startsWith("console/strings/") && !FOR_PROGRAMS.has(path));
  if (paths.length < 200) throw new Error(`only ${paths.length} files were found: this check would check nothing`);
  const found = await Promise.all(
    paths.toSorted().map(async (path) => {
      const text = await Bun.file(join(ROOT, path)).text();
      return stringsIn(path, text).map(
        ({ line, string }) => `${path}:${line}: "${string}" belongs in console/strings/.`,
      );
    }),
  );
  return found.flat();
}

/** The texts of a TypeScript file that people read, and the places that format a value for them. */
export function stringsIn(path: string, text: string): { line: number; string: string }[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: { line: number; string: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (isForDevelopers(node) || isCompared(node) || isKey(node) || isFont(node)) return;
    if (isShown(node) || isFormat(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ line: line + 1, string: node.text.trim() });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Dates and numbers are formatted in one place: `Intl`, and `toLocaleString` of a value. */
function isFormat(node: ts.Node): node is ts.Identifier {
  return ts.isIdentifier(node) && /^(?:Intl|toLocale(?:Date|Time)?String)$/u.test(node.text);
}

function isForDevelopers(node: ts.Node): boolean {
  return ts.isThrowStatement(node) && ts.isNewExpression(node.expression);
}

/** A value of the API: `status === "Offline"`, `message.startsWith("Done")`; or a name: `headers.get("Date")`. */
function isCompared(node: ts.Node): boolean {
  if (!ts.isStringLiteral(node)) return false;
  const { parent } = node;
  if (ts.isCaseClause(parent)) return true;
  if (ts.isCallExpression(parent) && parent.arguments[0] === node) {
    return /\.(?:startsWith|get|has)$/u.test(parent.expression.getText());
  }
  return ts.isBinaryExpression(parent) && /^[!=]==$/u.test(parent.operatorToken.getText());
}

/** The name of a field: ``timeline[`${stage}At`]``. */
function isKey(node: ts.Node): boolean {
  return !ts.isSourceFile(node) && ts.isElementAccessExpression(node.parent) && node.parent.argumentExpression === node;
}

function isFont(node: ts.Node): boolean {
  return ts.isPropertyAssignment(node) && node.name.getText().startsWith("fontFamily");
}

function isShown(node: ts.Node): node is ts.JsxText | ts.LiteralLikeNode {
  if (ts.isJsxText(node)) return /[A-Za-z]{2,}/u.test(node.text) && !isCode(node.parent);
  return (
    (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) && TEXT.test(node.text) && !NOT_TEXT.test(node.text)
  );
}

function isCode(node: ts.Node): boolean {
  return ts.isJsxElement(node) && /^[Cc]ode$/u.test(node.openingElement.tagName.getText());
}
