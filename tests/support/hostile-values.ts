/** Values that break code, a command line or a line-based file when pasted into it. */
export const HOSTILE_VALUES: Readonly<Record<string, string>> = {
  EMPTY: "",
  SPACES: "  two  spaces  ",
  SINGLE_QUOTE: "it's",
  QUOTES: `'"'"'"'`,
  CLOSING_QUOTE: "'; touch /tmp/bellhop-pwned; '",
  SUBSTITUTION: "$(touch /tmp/bellhop-pwned) ${HOME} $HOME",
  BACKTICKS: "`touch /tmp/bellhop-pwned`",
  NEWLINES: "first\nsecond\r\nthird\n",
  TABS: "a\tb\u000bc",
  CONTROL: "\u0001\u0007\u001b[31m\u007f",
  BACKSLASHES: "\\n \\\\ \\' \\",
  OPTION: "-rf",
  LONG_OPTION: "--help",
  GLOB: "* ? [a-z] ~ !!",
  REDIRECT: "a > /tmp/bellhop-pwned | b & c ; d",
  PERCENT: "%s %d %n %%PATH%%",
  TEMPLATE: "{{webhook.secret}}",
  HEREDOC: "EOF\nbellhop-\nEOF",
  HERE_STRING: "EOF\n\"@\n'@\n$(touch /tmp/bellhop-pwned)\n",
  DROP: "'; drop table guests; --",
  COMMENTS: "# x */ /*! y */ -- z // <!-- #> <# \n#",
  FSTRING: '{__import__("os").system("touch /tmp/bellhop-pwned")} {0.__class__} %(a)s',
  TRIPLE_QUOTES: `""" ___ + open("/tmp/bellhop-pwned", "w") + ___ """`.replaceAll("_", "'"),
  CALL: '__import__("os").system("touch /tmp/bellhop-pwned")',
  POWERSHELL: "$(New-Item /tmp/bellhop-pwned); & { iex 'x' } `\"; \u2019; \u201d",
  ARITHMETIC: "a[$(touch /tmp/bellhop-pwned)]",
  BREAKS_OUT: '"; touch /tmp/bellhop-pwned; "',
  BRACES: "}; touch /tmp/bellhop-pwned; { ${x:-a} }} {{",
  JSON: '","admin":true,"x":"\\u0022',
  ADDRESS: "../..//?a=b&c=d#e;f=%2e%2e\\@host:80",
  NUMBER: "0x1F",
  UNICODE: "Grüße, 日本語, עברית, é (e\u0301), \u{1f4a5}",
  // Bytes 0x81 to 0x88, which dash uses internally.
  DASH_MARKS: "\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088 \u00c1\u00c8 \u2041\u2048",
  BOM: "\ufeffmarked",
  LARGE: "x".repeat(100_000),
};

/** The same values, but the file that they would create is `canary`. */
export function hostileValuesFor(canary: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(HOSTILE_VALUES).map(([name, value]) => [name, value.replaceAll("/tmp/bellhop-pwned", canary)]),
  );
}

/** Python that prints every value in the environment with one of these names, as JSON. */
export const PRINT_VALUES_PYTHON = `import json, os
print(json.dumps({name: os.environ[name] for name in os.environ if name in ${JSON.stringify(Object.keys(HOSTILE_VALUES))}}))`;

/** The same in a POSIX shell, each value quoted where it is used: its bytes in hexadecimal, one line per value. */
export const PRINT_VALUES_SH = Object.keys(HOSTILE_VALUES)
  .map((name) => `printf '%s=' ${name}; printf '%s' "$${name}" | od -An -v -tx1 | tr -d ' \\n'; echo`)
  .join("\n");

/** Parses the output of `PRINT_VALUES_SH`. */
export function readShellValues(stdout: string): Record<string, string> {
  const lines = stdout.trimEnd().split("\n");
  return Object.fromEntries(
    lines.map((line) => {
      const equals = line.indexOf("=");
      return [line.slice(0, equals), Buffer.from(line.slice(equals + 1), "hex").toString("utf8")];
    }),
  );
}
