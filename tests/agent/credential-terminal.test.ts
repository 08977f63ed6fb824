import { describe, expect, test } from "bun:test";
import { TypedLine } from "../../agent/credentials/terminal.ts";

describe("a typed line", () => {
  const lines: [string, string[], string, ReturnType<TypedLine["type"]>][] = [
    ["ends with Enter", ["abc\r"], "abc", "entered"],
    ["may come in pieces", ["a", "b", "\n"], "ab", "entered"],
    ["keeps nothing after its end", ["abc\rdef\r"], "abc", "entered"],
    ["forgets what is deleted, a whole character at a time", ["añ😀\u007f\u007fb\r"], "ab", "entered"],
    ["can be cleared with Ctrl-U", ["wrong\u0015right\r"], "right", "entered"],
    ["is given up by Ctrl-C", ["abc\u0003"], "abc", "cancelled"],
    ["is given up by Ctrl-D at its beginning", ["\u0004"], "", "cancelled"],
    ["does not end by Ctrl-D later", ["ab\u0004c\r"], "abc", "entered"],
    ["ignores arrows and other keys", ["a\u001b[D\u001bOHb\u001b[3~c\u0001\r"], "abc", "entered"],
    ["recognizes an escape sequence that comes in two pieces", ["a\u001b[", "Db\r"], "ab", "entered"],
    [
      "takes a paste of many lines as one answer",
      ["\u001b[200~one\rtwo\r\nthree\n\u001b[201~\r"],
      "one\ntwo\nthree\n",
      "entered",
    ],
    ["waits while a paste has no end", ["\u001b[200~one\r"], "one\n", "typing"],
    [
      "takes a key of many lines as one answer where pastes are not marked",
      ["-----BEGIN KEY-----\rabc\r", "de\r\n-----END KEY-----", "\rdropped\r"],
      "-----BEGIN KEY-----\nabc\nde\n-----END KEY-----",
      "entered",
    ],
    [
      "takes the parameters of a curve with the key behind them",
      [
        "-----BEGIN EC PARAMETERS-----\ra\r-----END EC PARAMETERS-----\r",
        "-----BEGIN EC K-----\rb\r-----END EC K-----\r",
      ],
      "-----BEGIN EC PARAMETERS-----\na\n-----END EC PARAMETERS-----\n-----BEGIN EC K-----\nb\n-----END EC K-----",
      "entered",
    ],
    ["waits for the end of a key", ["-----BEGIN KEY-----\rabc\r\r"], "-----BEGIN KEY-----\nabc\n\n", "typing"],
    ["is given up by Ctrl-C inside a key", ["-----BEGIN KEY-----\rabc\u0003"], "-----BEGIN KEY-----\nabc", "cancelled"],
    [
      "ends with Enter after a marked key",
      ["\u001b[200~-----BEGIN KEY-----\rabc\r-----END KEY-----\r\u001b[201~\r"],
      "-----BEGIN KEY-----\nabc\n-----END KEY-----\n",
      "entered",
    ],
  ];
  for (const [what, pieces, text, state] of lines) {
    test(what, () => {
      const line = new TypedLine();
      const states = pieces.map((piece) => line.type(piece));
      expect({ text: line.text, state: states.at(-1) }).toEqual({ text, state });
    });
  }
});
