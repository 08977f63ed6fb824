import { describe, expect, test } from "bun:test";
import { formsOf, formsOfSecrets } from "../../agent/mask-forms.ts";
import { Masker } from "../../agent/jobs/masker.ts";
import type { JsonObject } from "../../schema/contract/json.ts";

function maskerFor(...secrets: string[]): Masker {
  const masker = new Masker();
  masker.setForms(secrets.flatMap((secret) => [...formsOf(secret)]));
  return masker;
}

const PASSWORD = `p"4ß&w/ö rd<'\\`;

describe("a secret is masked in each form", () => {
  const forms: [string, string][] = [
    ["unchanged", PASSWORD],
    ["in JSON", JSON.stringify({ password: PASSWORD })],
    ["in JSON inside JSON", JSON.stringify(JSON.stringify({ password: PASSWORD }))],
    ["in a URL", `https://example.com/?p=${encodeURIComponent(PASSWORD)}`],
    ["in a form", new URLSearchParams({ p: PASSWORD }).toString()],
    ["in XML", "<p>p&quot;4ß&amp;w/ö rd&lt;&#39;\\</p>"],
    ["in base64", Buffer.from(PASSWORD).toString("base64")],
    ["in base64url", Buffer.from(PASSWORD).toString("base64url")],
    ["in hexadecimal", Buffer.from(PASSWORD).toString("hex")],
    ["in base64 after one other byte", Buffer.from(`x${PASSWORD}`).toString("base64")],
    ["in base64 after two other bytes", Buffer.from(`xy${PASSWORD}tail`).toString("base64")],
  ];
  for (const [how, text] of forms) {
    test(how, () => {
      const masked = maskerFor(PASSWORD).text(`before ${text} after`);
      expect(masked).toStartWith("before ");
      expect(masked).toEndWith(" after");
      expect(masked).toContain("***");
      for (const form of formsOf(PASSWORD)) expect(masked).not.toContain(form);
    });
  }
});

/** Real programs print the secrets, so that the forms are not guesses. */
describe("a secret is masked in the output", () => {
  const secrets: [string, string][] = [
    ["with a single quote", "it's-a-s3cret-p@ss"],
    ["that ends in a quote", "trailing-quote'"],
    ["that begins with a quote", "'leading-quote"],
    ["with a tab", "hunter2!\tpasstail99"],
    ["with control characters", "nl\nq'uote\u001b-\u007f-\u0007end"],
    ["with characters special to shells", 'p4ss w0rd$x!y`z"'],
    ["with quotes of both kinds", `it's "q" p4ss\\x`],
    ["with a double quote and a backslash", `back\\slash"quote`],
    ["of every printable character", Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join("")],
    ["with other characters at the edges", "~home:~a=~b#c"],
    ["with letters beyond ASCII", "pässwörd-ß-9999-☃-😀"],
    ["of many characters", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefghijklmnop-?>"],
  ];
  const programs: [string, string[]][] = [
    ["bash -x", ["bash", "-xc", 'test -n "$S3CRET"']],
    ["printf %q", ["bash", "-c", `printf '%q\\n' "$S3CRET"`]],
    ["printf %q in a locale without letters", ["bash", "-c", `LC_ALL=C; printf '%q\\n' "$S3CRET"`]],
    ["declare -p", ["bash", "-c", "declare -p S3CRET"]],
    ["@Q", ["bash", "-c", 'echo "${S3CRET@Q}"']],
    ["export -p of sh", ["dash", "-c", "unset HOME PATH LC_ALL; export -p"]],
    ["repr", ["/usr/bin/python3", "-c", `import os; print(repr(os.environ["S3CRET"]))`]],
    ["repr of bytes", ["/usr/bin/python3", "-c", `import os; print(repr(os.environb[b"S3CRET"]))`]],
    ["json.dumps", ["/usr/bin/python3", "-c", `import os, json; print(json.dumps({"": os.environ["S3CRET"]}))`]],
    [
      "json.dumps twice",
      ["/usr/bin/python3", "-c", `import os, json; print(json.dumps(json.dumps(os.environ["S3CRET"])))`],
    ],
    [
      "quote",
      ["/usr/bin/python3", "-c", `import os; from urllib.parse import quote; print(quote(os.environ["S3CRET"]))`],
    ],
    [
      "quote of all",
      ["/usr/bin/python3", "-c", `import os; from urllib.parse import quote; print(quote(os.environ["S3CRET"], ""))`],
    ],
    [
      "urlencode",
      [
        "/usr/bin/python3",
        "-c",
        `import os; from urllib.parse import urlencode as u; print(u({"": os.environ["S3CRET"]}))`,
      ],
    ],
    ["base64", ["bash", "-c", 'printf %s "$S3CRET" | base64']],
    ["base64 of a line", ["bash", "-c", 'echo "$S3CRET" | base64']],
    ["base64 in lines of 64", ["bash", "-c", 'printf %s "$S3CRET" | base64 -w64']],
    ["capital hexadecimal", ["bash", "-c", `printf %s "$S3CRET" | od -An -v -tx1 -w999 | tr -d ' ' | tr a-f A-F`]],
  ];
  /** The programs' own words, quotes, and the end of base64, which depends on the next bytes. */
  const HARMLESS =
    /declare -x|export(?: PATH)?|S3CRET=|PWD='[^']*'|\+ test -n|b(?=['"])|[\s\\$'"{}:=]|[A-Za-z0-9+/]{1,3}=*\n$/gu;

  test.each(programs)("of %s", (_, argv) => {
    for (const [kind, secret] of secrets) {
      const env = { PATH: process.env["PATH"] ?? "", HOME: "/", LC_ALL: "C.UTF-8", S3CRET: secret };
      const { stdout, stderr } = Bun.spawnSync(argv, { env, stdout: "pipe", stderr: "pipe" });
      const printed = `${stdout.toString()}${stderr.toString()}`;
      expect(printed.length).toBeGreaterThan(secret.length);
      const masked = maskerFor(secret).text(printed);
      expect({ kind, masked: masked.replaceAll(HARMLESS, "") }).toEqual({ kind, masked: "***" });
    }
  });
});

test("many secrets in many forms are masked in a single pass", () => {
  const secrets = Array.from({ length: 100 }, (_, at) => `secret-${at}-'ä"$-${"x".repeat(at)}`);
  const masker = maskerFor(...secrets);
  const text = `nothing of note, secret-of-another kind;\n`.repeat(20_000);
  expect(masker.text(text)).toBe(text);
  for (const secret of secrets) expect(masker.text(`<${JSON.stringify(secret)}>`)).toBe('<"***">');
});

test("HTTP Basic credentials, which encode user and password together, are masked", () => {
  const masker = new Masker();
  masker.setForms(formsOfSecrets({ username: "ada", password: "pw" }));
  expect(masker.text(`Authorization: Basic ${Buffer.from("ada:pw").toString("base64")}`)).toMatch(
    /^Authorization: Basic \*\*\*/u,
  );
});

test("values of six characters or more are masked; surrounding whitespace does not count", () => {
  expect(maskerFor("abcdef").text("xabcdefx")).toBe("x***x");
  expect(maskerFor("abcde", "  abc\r\n").text("xabcdex   abc\r\n")).toBe("xabcdex   abc\r\n");
});

test("no form of a short value is masked", () => {
  for (const short of ["abc", "a'\"&b", "päß/ö", "a\r\n\tb", "-----"]) expect([...formsOf(short)]).toEqual([]);
});

test("neither a user name nor words that contain it are masked", () => {
  const masker = new Masker();
  masker.setForms(formsOfSecrets({ username: "workshop", password: "s3cret-value" }));
  const said = "workshop logged in at the workshop's door: d29ya3Nob3A= 776f726b73686f70";
  expect(masker.text(said)).toBe(said);
  expect(masker.text("workshop:s3cret-value, s3cret-value")).toBe("***, ***");
});

test("each line of a private key is masked, its BEGIN and END lines are not", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----\n";
  expect(maskerFor(key).text("line 2: AQEFAASCBKcwggSjAgEAAoIB.")).toBe("line 2: ***.");
  expect(maskerFor(key).text("it has -----BEGIN KEY-----")).toBe("it has -----BEGIN KEY-----");
});

test("a token inside a kubeconfig is masked when it appears alone", () => {
  const kubeconfig = "apiVersion: v1\nusers:\n- user:\n    token: eyJhbGciOiJSUzI1NiJ9.abc\n";
  expect(maskerFor(kubeconfig).text("Bearer eyJhbGciOiJSUzI1NiJ9.abc")).toBe("Bearer ***");
});

test("overlapping secrets are masked completely", () => {
  expect(maskerFor("abcdef", "defghi").text("1abcdefghi2")).toBe("1***2");
  expect(maskerFor("abcdef", "abcdefgh").text("abcdefgh abcdef")).toBe("*** ***");
});

test("strings, numbers and names in an output are masked; the action's own field names and harmless values stay", () => {
  const output: JsonObject = {
    stdout: "the pin is 123456",
    rows: [{ pin: 123456, ok: true, none: null }, { "s3cret-name": 7 }],
    exitCode: 0,
  };
  expect(maskerFor("123456", "s3cret-name", "stdout").output(output)).toEqual({
    stdout: "the pin is ***",
    rows: [{ pin: "***", ok: true, none: null }, { "***": 7 }],
    exitCode: 0,
  });
});

test("the beginning of a secret at the end of a truncated stream is masked", () => {
  const masker = maskerFor("correct-horse-battery");
  expect(masker.output({ stdout: "pw=correct-hor", truncated: true }).stdout).toBe("pw=***");
  expect(masker.output({ stdout: "", truncated: true, droppedBytes: 12 })["droppedBytes"]).toBe(12);
  expect(masker.output({ stdout: "pw=correct-hor" }).stdout).toBe("pw=correct-hor");
});

test("an output that is nested too deep is cut off, and the agent continues", () => {
  let value: JsonObject = {};
  for (let depth = 0; depth < 100_000; depth++) value = { value };
  expect(JSON.stringify(maskerFor("abcdef").output(value))).toContain("nested too deep");
});

test("each secret value in a kubeconfig of one JSON line is masked", () => {
  const kubeconfig = JSON.stringify({
    users: [{ user: { token: "token-of-the-robot", "client-key-data": "LS0tLS1CRUdJTg==" } }],
  });
  const masker = new Masker();
  masker.setForms(formsOfSecrets({ kubeconfig }));
  expect(masker.text("used token-of-the-robot and LS0tLS1CRUdJTg==")).toBe("used *** and ***");
});

test("words of a kubeconfig that kubectl prints everywhere stay readable", () => {
  const kubeconfig = [
    "apiVersion: v1",
    "kind: Config",
    "contexts: [{name: prod, context: {cluster: prod, namespace: default, user: admin}}]",
    "users: [{name: admin, user: {token: sa-12345678-secret}}]",
  ].join("\n");
  const masker = new Masker();
  masker.setForms(formsOfSecrets({ kubeconfig, blank: "    " }));
  const said = "apiVersion: v1\nkind: Config\n    namespace: default\ntoken sa-12345678-secret";
  expect(masker.text(said)).toBe("apiVersion: v1\nkind: Config\n    namespace: default\ntoken ***");
  expect(masker.text(kubeconfig)).toBe("***");
});
