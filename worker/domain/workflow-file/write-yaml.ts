import { Document, Scalar, isCollection, isMap, isPair, isScalar, visit } from "yaml";
import type { JsonValue } from "../../../schema/contract/json.ts";

/**
 * Characters that keep a text out of a block literal, where nothing is escaped and line breaks become plain ones: those
 * that YAML calls not printable (1.2, 5.1), its other line breaks, and the byte order mark.
 */
// oxlint-disable-next-line no-control-regex
const NEEDS_ESCAPES = /[^\t\n\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/** Written as escapes: the writer leaves them unescaped inside quotes, where other readers refuse them. */
// oxlint-disable-next-line no-control-regex
const NOT_PRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu;

/** Texts without quotes that older readers misread, though YAML 1.2 does not. */
const NEEDS_QUOTES = /^=$|\t/u;

/** The first line that is not empty sets a block's indentation: a line of blanks would be misread. */
const BEGINS_WITH_BLANKS = /^\n*[ \t]+(?:\n|$)/u;

/** `- {from: check, to: restart, on: success}` is easier to read than three lines; so is `restart: {x: 40, y: 120}`. */
const ONE_LINE_EACH = new Set<unknown>(["edges", "layout"]);

/**
 * Writes a value so that the same value gives the same bytes, and reads back unchanged. Texts of several lines are
 * block literals, in which people can read and change scripts. Texts that older parsers would misread (`on`, `yes`,
 * `1_000`) are quoted. `comment` is the first line.
 */
export function writeYaml(value: JsonValue, comment?: string): string {
  const document = new Document(value, {
    version: "1.2",
    schema: "core",
    compat: "yaml-1.1",
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !ONE_LINE_EACH.has(key.value) || !isCollection(value)) return;
      for (const member of value.items) {
        const content = isPair(member) ? member.value : member;
        if (isMap(content)) content.flow = true;
      }
    },
    Scalar(key, node) {
      if (typeof node.value !== "string") return;
      const { value } = node;
      if (NEEDS_ESCAPES.test(value) || BEGINS_WITH_BLANKS.test(value)) node.type = Scalar.QUOTE_DOUBLE;
      else if (value.includes("\n") && key !== "key") node.type = Scalar.BLOCK_LITERAL;
      else if (NEEDS_QUOTES.test(value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  // Folding would add line breaks, and depend on indentation.
  const text = document.toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    singleQuote: false,
  });
  const plain = text.replaceAll(
    NOT_PRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return comment === undefined ? plain : `# ${comment}\n${plain}`;
}
