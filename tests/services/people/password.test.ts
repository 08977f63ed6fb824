import { expect, test } from "bun:test";
import { hashPassword, passwordMatches } from "../../../worker/services/people/password.ts";

test("passwords are stored as bcrypt of cost 12, each with another hash", async () => {
  const [one, two] = await Promise.all([hashPassword("a long password"), hashPassword("a long password")]);
  expect(one).toMatch(/^\$2[aby]\$12\$/u);
  expect(one).not.toBe(two);
  expect(await passwordMatches("a long password", one)).toBe(true);
  expect(await passwordMatches("a long passwore", one)).toBe(false);
});

test("passwords that differ only after bcrypt's 72 bytes, or after a zero byte, do not match", async () => {
  const hash = await hashPassword(`${"x".repeat(80)}1`);
  expect(await passwordMatches(`${"x".repeat(80)}2`, hash)).toBe(false);
  expect(await passwordMatches("abc\0def", await hashPassword("abc\0xyz"))).toBe(false);
});

test("the same characters in another Unicode form match", async () => {
  expect(await passwordMatches("cafe\u0301 au lait", await hashPassword("caf\u00e9 au lait"))).toBe(true);
});

test("a user without a password has no matching password", async () => {
  expect(await passwordMatches("", null)).toBe(false);
});
