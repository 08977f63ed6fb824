import fc from "fast-check";

/**
 * Random code whose result is known: a text with templates, and what its words come to once a value is in place of `V`.
 * Each is put together from pieces of which one rule of its language decides how they are read.
 */
export interface CodeCase {
  readonly text: string;
  readonly expected: string;
}

const VALUE_PIECES = [
  ..."' \" ` $ \\ ! # & | ; < > ( ) { } [ ] * ? ~ = % @ ^ , . : - + / 0 a é \u{1f4a5}".split(" "),
  "\n",
  "\r\n",
  "\t",
  " ",
  "EOF",
  "E",
  "\nE\n",
  "$(touch EXECUTED)",
  "`touch EXECUTED`",
  "; touch EXECUTED;",
  '"""',
  "'''",
  '" + open("EXECUTED", "w") + "',
  "{x}",
  "{{v}}",
  "${X}",
  "\\n",
  "\\'",
  "--",
  "/*",
  "*/",
  "');",
  "'; drop table t; --",
  "a[$(touch EXECUTED)]",
  "%s",
  "\\u0022",
  "null",
  "\u2019",
  "\u0081",
];

/** A value put together from what breaks code. Without NUL, which only some ways carry. */
export const hostileValue = fc
  .array(fc.constantFrom(...VALUE_PIECES), { maxLength: 8 })
  .map((pieces) => pieces.join(""));

const TEMPLATE = { text: "{{v}}", expected: "V" };
const join = (parts: readonly CodeCase[]): CodeCase => ({
  text: parts.map(({ text }) => text).join(""),
  expected: parts.map(({ expected }) => expected).join(""),
});
const same = (text: string): CodeCase => ({ text, expected: text });
const piece = (text: string, expected: string): CodeCase => ({ text, expected });

const SHELL_BARE = fc.constantFrom(
  TEMPLATE,
  TEMPLATE,
  same("a"),
  same("-"),
  same("="),
  same("é"),
  piece("\\'", "'"),
  piece('\\"', '"'),
  piece("\\$", "$"),
  piece("\\ ", " "),
  piece("'it \"`$(x)\\'", 'it "`$(x)\\'),
  piece("''", ""),
  piece("${E}", "e e"),
);
const SHELL_QUOTED = fc.constantFrom(
  TEMPLATE,
  TEMPLATE,
  same("a"),
  same(" "),
  same("'"),
  same("\n"),
  same("#"),
  same(";"),
  same("é"),
  piece('\\"', '"'),
  piece("\\$", "$"),
  piece("\\`", "`"),
  piece("\\\\", "\\"),
  piece("${E}", "e e"),
  piece("$(printf '%s' ')')", ")"),
  piece("$(printf '%s' {{v}}x)", "Vx"),
);
const HERE_TEXT = fc.constantFrom(
  TEMPLATE,
  TEMPLATE,
  same("a"),
  same(" "),
  same('"'),
  same("'"),
  same("\n"),
  same("<<X"),
  piece("\\$", "$"),
  piece("\\`", "`"),
  piece("\\\\", "\\"),
  piece("$(printf '%s' \"{{v}}\"x)", "Vx"),
);

const quoted = fc.array(SHELL_QUOTED, { maxLength: 6 }).map((parts) => {
  const { text, expected } = join(parts);
  return piece(`"${text}"`, expected);
});
/** A word that is one word, whatever its expansions are. */
const shellWord = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: SHELL_BARE.filter(({ text }) => !text.includes("E")) },
      { weight: 1, arbitrary: quoted },
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map(join);
const hereDocument = fc.array(HERE_TEXT, { maxLength: 8 }).map((parts) => {
  const { text, expected } = join(parts);
  return piece(`show "$(cat <<EOF\n.${text}.\nEOF\n)"`, `.${expected}.`);
});
const SHELL_FRAMES: readonly ((word: CodeCase) => CodeCase)[] = [
  ({ text, expected }) => piece(`show ${text}`, expected),
  ({ text, expected }) => piece(`( show ${text} )`, expected),
  ({ text, expected }) => piece(`{ show ${text}; } | cat`, expected),
  ({ text, expected }) => piece(`if [ x = x ]; then show ${text}; fi`, expected),
  ({ text, expected }) => piece(`for w in ${text}; do show "$w"; done`, expected),
  ({ text, expected }) => piece(`case ${text} in '') show '';; *) show ${text};; esac`, expected),
  ({ text, expected }) => piece(`w=${text}; show "$w"`, expected),
  ({ text, expected }) => piece(`w=${text} && export w && sh -c 'printf "<%s>" "$w"'`, expected),
  ({ text, expected }) => piece(`set -- ${text}; show "$1"`, expected),
  ({ text, expected }) => piece(`show "$(printf '%s.' ${text})"`, `${expected}.`),
  ({ text, expected }) => piece(`show ${text} # don't {{v}} "`, expected),
  ({ text, expected }) => piece(`cat > f <<'X'\n$(it's \`"\nX\nshow ${text}`, expected),
];

/** Scripts that print one word between < and > by `show`. `$E` is the text `e e`. */
export const shellCase: fc.Arbitrary<CodeCase> = fc
  .oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...SHELL_FRAMES), shellWord).map(([frame, word]) => frame(word)) },
    { weight: 1, arbitrary: hereDocument },
  )
  .filter(({ expected }) => expected.includes("V"));

const PYTHON_COMMON = [TEMPLATE, TEMPLATE, same("a"), same(" "), same("#"), same("{x}"), same("%s"), same("é")];
const PYTHON_ESCAPES = [
  piece("\\\\", "\\"),
  piece("\\n", "\n"),
  piece("\\'", "'"),
  piece('\\"', '"'),
  piece("\\x41", "A"),
];

function pythonString(prefix: string, quotes: string): fc.Arbitrary<CodeCase> {
  const raw = prefix.toLowerCase() === "r";
  const other = quotes.startsWith('"') ? "'" : '"';
  const own = quotes[0] ?? "";
  const pieces = [
    ...PYTHON_COMMON,
    same(other),
    ...(raw ? [same("\\w"), same("\\\\")] : PYTHON_ESCAPES),
    // In long strings lines may end, and single quotes of the own kind stand alone; not right before the end.
    ...(quotes.length === 3 ? [same("\n"), same(`${own} `), ...(raw ? [] : [piece(`${own}{{v}}`, `${own}V`)])] : []),
  ];
  return fc.array(fc.constantFrom(...pieces), { maxLength: 7 }).map((parts) => {
    const { text, expected } = join(parts);
    return piece(`${prefix}${quotes}${text}${quotes}`, expected);
  });
}

const pythonText = fc.oneof(
  fc.constant(piece("{{v}}", "V")),
  ...["", "u", "r", "R"].flatMap((prefix) => ['"', "'", '"""', "'''"].map((quotes) => pythonString(prefix, quotes))),
);
const PYTHON_FRAMES: readonly ((text: CodeCase) => CodeCase)[] = [
  ({ text, expected }) => piece(`got = ${text}`, expected),
  ({ text, expected }) => piece(`got = str(${text})  # it's {{v}}`, expected),
  ({ text, expected }) => piece(`got = [1, ${text}][1]`, expected),
  ({ text, expected }) => piece(`got = {"a": ${text}}["a"]`, expected),
  ({ text, expected }) => piece(`def f(a=${text}):\n  return a\ngot = f()`, expected),
  ({ text, expected }) => piece(`got = (\n  ${text}\n)`, expected),
  ({ text, expected }) => piece(`got = ${text} if 1 else None`, expected),
  ({ text, expected }) => piece(`got = "%s" % (${text},)`, expected),
  ({ text, expected }) => piece(`n = ${text}\ngot = f"{n}"`, expected),
  ({ text, expected }) => piece(`got = ${text}.strip("no such") if 0 else ${text}`, expected),
];

/** Scripts that put one text into `got`. */
export const pythonCase: fc.Arbitrary<CodeCase> = fc
  .tuple(fc.constantFrom(...PYTHON_FRAMES), fc.array(pythonText, { minLength: 1, maxLength: 3 }))
  .map(([frame, texts]) =>
    frame(piece(texts.map(({ text }) => text).join(" + "), texts.map(({ expected }) => expected).join(""))),
  )
  // Operators bind differently there; one text is enough.
  .filter(({ text, expected }) => expected.includes("V") && !/\+.*\.strip/su.test(text));

const SQL_TEXT = fc.constantFrom(
  piece("{{v}}", "V"),
  piece("{{v}}", "V"),
  piece("'it''s'", "it's"),
  piece("'--'", "--"),
  piece("'/*'", "/*"),
  piece("'\"'", '"'),
  piece("upper('a')", "A"),
  piece("(select {{v}})", "V"),
  piece("coalesce(null, {{v}})", "V"),
  piece("case when {{v}} is not null then {{v}} end", "V"),
);
const SQL_NOISE = fc.constantFrom(" ", "\n", " -- it's {{w}} \"\n", " /* don't {{w}} */ ");

/** Queries that give one text. */
export const sqlCase: fc.Arbitrary<CodeCase> = fc
  .array(fc.tuple(SQL_TEXT, SQL_NOISE), { minLength: 1, maxLength: 4 })
  .map((parts) =>
    piece(
      `select${parts.map(([{ text }, noise]) => `${noise}(${text})`).join(" ||")} as "a;'b"`,
      parts.map(([{ expected }]) => expected).join(""),
    ),
  )
  .filter(({ expected }) => expected.includes("V"));
