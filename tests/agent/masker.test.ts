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

describe("a secret is masked in every form it travels in", () => {
  const forms: [string, string][] = [
    ["as it is", PASSWORD],
    ["in JSON", JSON.stringify({ password: PASSWORD })],
    ["in JSON inside JSON", JSON.stringify(JSON.stringify({ password: PASSWORD }))],
    ["in a URL", `https://example.com/?p=${encodeURIComponent(PASSWORD)}`],
    ["in a form", new URLSearchParams({ p: PASSWORD }).toString().replaceAll("%27", "'")],
    ["in XML", "<p>p&quot;4ß&amp;w/ö rd&lt;&#39;\\</p>"],
    ["in base64", Buffer.from(PASSWORD).toString("base64")],
    ["in base64 of the URL kind", Buffer.from(PASSWORD).toString("base64url")],
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

test("HTTP Basic authentication, which encodes user and password together, is masked", () => {
  const masker = new Masker();
  masker.setForms(formsOfSecrets({ username: "ada", password: "pw" }));
  expect(masker.text(`Authorization: Basic ${Buffer.from("ada:pw").toString("base64")}`)).toMatch(
    /^Authorization: Basic \*\*\*/u,
  );
});

test("values of four characters are masked, shorter ones are not", () => {
  expect(maskerFor("abcd").text("xabcdx")).toBe("x***x");
  expect(maskerFor("abc").text("xabcx")).toBe("xabcx");
});

test("each line of a private key is masked, its armour stays readable", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----\n";
  expect(maskerFor(key).text("line 2: AQEFAASCBKcwggSjAgEAAoIB.")).toBe("line 2: ***.");
  expect(maskerFor(key).text("it has -----BEGIN KEY-----")).toBe("it has -----BEGIN KEY-----");
});

test("a token inside a kubeconfig is masked when it appears alone", () => {
  const kubeconfig = "apiVersion: v1\nusers:\n- user:\n    token: eyJhbGciOiJSUzI1NiJ9.abc\n";
  expect(maskerFor(kubeconfig).text("Bearer eyJhbGciOiJSUzI1NiJ9.abc")).toBe("Bearer ***");
});

test("secrets that overlap leave nothing of each other", () => {
  expect(maskerFor("abcdef", "defghi").text("1abcdefghi2")).toBe("1***2");
  expect(maskerFor("abcd", "abcdefgh").text("abcdefgh abcd")).toBe("*** ***");
});

test("texts, numbers and nested names of an output are masked; its own names and what is harmless stay", () => {
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

test("a stream that was cut in the middle of a secret does not keep the beginning of it", () => {
  const masker = maskerFor("correct-horse-battery");
  expect(masker.output({ stdout: "pw=correct-hor", truncated: true }).stdout).toBe("pw=***");
  expect(masker.output({ stdout: "pw=correct-hor" }).stdout).toBe("pw=correct-hor");
});

test("an output nested beyond reason is cut off instead of ending the agent", () => {
  let value: JsonObject = {};
  for (let depth = 0; depth < 100_000; depth++) value = { value };
  expect(JSON.stringify(maskerFor("abcd").output(value))).toContain("nested too deep");
});

test("what a kubeconfig on one line of JSON hides behind a name is masked by itself", () => {
  const kubeconfig = JSON.stringify({
    users: [{ user: { token: "token-of-the-robot", "client-key-data": "LS0tLS1CRUdJTg==" } }],
  });
  const masker = new Masker();
  masker.setForms(formsOfSecrets({ kubeconfig }));
  expect(masker.text("used token-of-the-robot and LS0tLS1CRUdJTg==")).toBe("used *** and ***");
});
