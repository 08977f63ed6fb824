import { describe, expect, test } from "bun:test";
import { openText, sealText } from "../../worker/services/sealed-text.ts";

const SECRET = "a server secret of at least 32 characters";

describe("a sealed text", () => {
  test("is opened by the deployment that sealed it, for its place", async () => {
    const sealed = await sealText(SECRET, "webhook:1", "the text ü");
    expect(sealed).not.toContain("the text");
    expect(await openText(SECRET, "webhook:1", sealed)).toBe("the text ü");
  });

  test("differs each time", async () => {
    expect(await sealText(SECRET, "a", "x")).not.toBe(await sealText(SECRET, "a", "x"));
  });

  test("is not opened at another place, by another deployment, or changed", async () => {
    const sealed = await sealText(SECRET, "a", "x");
    // The last character has bits that base64 ignores, so the first one of the text changes.
    const first = "sealed1.".length;
    const changed = `${sealed.slice(0, first)}${sealed[first] === "A" ? "B" : "A"}${sealed.slice(first + 1)}`;
    expect(await openText(SECRET, "b", sealed)).toBeNull();
    expect(await openText(`${SECRET}!`, "a", sealed)).toBeNull();
    expect(await openText(SECRET, "a", changed)).toBeNull();
    for (const other of ["", "x", "sealed1.", "sealed1.AAAA"]) expect(await openText(SECRET, "a", other)).toBeNull();
  });
});
