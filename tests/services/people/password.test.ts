import { expect, test } from "bun:test";
import { hashPassword, passwordMatches } from "../../../worker/services/people/password.ts";

test("passwords are kept as bcrypt of cost 12, and each hash is its own", async () => {
  const [one, two] = await Promise.all([hashPassword("a long password"), hashPassword("a long password")]);
  expect(one).toMatch(/^\$2[aby]\$12\$/u);
  expect(one).not.toBe(two);
  expect(await passwordMatches("a long password", one)).toBe(true);
  expect(await passwordMatches("a long passwore", one)).toBe(false);
});

test("what differs only behind bcrypt's 72 bytes, or behind a zero byte, differs", async () => {
  const hash = await hashPassword(`${"x".repeat(80)}1`);
  expect(await passwordMatches(`${"x".repeat(80)}2`, hash)).toBe(false);
  expect(await passwordMatches("abc\0def", await hashPassword("abc\0xyz"))).toBe(false);
});

test("the same characters typed another way match", async () => {
  expect(await passwordMatches("cafe\u0301 au lait", await hashPassword("caf\u00e9 au lait"))).toBe(true);
});

test("nobody's password is no password", async () => {
  expect(await passwordMatches("", null)).toBe(false);
});
