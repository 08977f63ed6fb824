import { describe, expect, test } from "bun:test";
import { MutationObserver } from "@tanstack/react-query";
import { createQueryClient } from "../../console/api/queries.ts";
import { failureMessage, issuerAddress, withoutFailure } from "../../console/views/sign-in/failures.ts";
import { generatePassword, judgePassword } from "../../console/ui/password-rules.ts";
import { signInFailureSchema } from "../../schema/contract/people.ts";

describe("the reason of a failed sign-in", () => {
  test("always has a message", () => {
    for (const reason of signInFailureSchema.options) {
      expect(failureMessage(`?a=1&signIn=${reason}`)).toMatch(/^\S.*[.]$/u);
    }
    expect(failureMessage("")).toBeNull();
    expect(failureMessage("?tab=1")).toBeNull();
  });

  test.each(["x", "__proto__", "toString", "<b>you%20won</b>", ""])(
    "is replaced by a general message when it is unknown: %j",
    (reason) => {
      expect(failureMessage(`?signIn=${reason}`)).toBe(failureMessage("?signIn=failed"));
    },
  );

  test.each([
    ["/agents", "?signIn=refused", "", "/agents"],
    ["/agents", "?pool=web&signIn=refused", "#top", "/agents?pool=web#top"],
    ["/agents", "?q=a%20b&signInto=x", "", "/agents?q=a%20b&signInto=x"],
    ["/", "", "", "/"],
  ])("is removed from the URL %s%s%s", (pathname, search, hash, expected) => {
    expect(withoutFailure({ pathname, search, hash })).toBe(expected);
  });
});

test("the organisation's sign-in returns to the page, or to the overview when the URL is too long", () => {
  expect(issuerAddress("/agents?a=1&b=2")).toBe("/api/v1/auth/oidc/start?returnTo=%2Fagents%3Fa%3D1%26b%3D2");
  expect(issuerAddress(`/${"x".repeat(1_024)}`)).toBe("/api/v1/auth/oidc/start?returnTo=%2F");
});

describe("a new password", () => {
  test.each([
    ["", false, "At least 12 characters. Use a passphrase of several words."],
    ["elevenchars", false, "1 more character."],
    ["ten chars.", false, "2 more characters."],
    ["twelve chars", true, "Long enough."],
    ["x".repeat(1_024), true, "Long enough."],
    ["x".repeat(1_025), false, "At most 1,024 characters."],
  ])("%j is accepted: %p", (password, ok, message) => {
    expect(judgePassword(password)).toEqual({ ok, message });
  });

  test("that is generated has 20 unambiguous characters, each equally likely", () => {
    const counts = new Map<string, number>();
    for (let count = 0; count < 2_000; count += 1) {
      const password = generatePassword((count) => crypto.getRandomValues(new Uint8Array(count)));
      expect(password).toMatch(/^[a-km-zA-HJ-NP-Z2-9]{20}$/u);
      for (const letter of password) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    const expected = (2_000 * 20) / counts.size;
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.3);
  });

  test("skips random bytes that would make a letter more likely", () => {
    const bytes = [255, 254, 1, 0];
    let at = 0;
    const password = generatePassword((count) => Uint8Array.from({ length: count }, () => bytes[at++ % 4] ?? 0));
    expect(password).toBe("ba".repeat(10));
  });
});

test("the query cache drops a change's arguments with the component that made the change", async () => {
  const queries = createQueryClient();
  const observer = new MutationObserver(queries, { mutationFn: async (given: string) => `of ${given}` });
  const leave = observer.subscribe(() => {});
  await observer.mutate("a secret");
  leave();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(queries.getMutationCache().getAll()).toEqual([]);
});
