import { expect, test } from "bun:test";
import { isSafeUrl } from "../../../schema/settings/url.ts";
import { isLocalPath } from "../../../worker/services/oidc/local-path.ts";

test.each(["/", "/workflows", "/workflows/wf_1?tab=runs#last", "/a//b", "/a?next=https://example.com"])(
  "%s is a path to return to",
  (path) => expect(isLocalPath(path)).toBe(true),
);

test.each([
  "",
  "workflows",
  "https://evil.example",
  "//evil.example",
  "/\\evil.example",
  "/a\\b",
  "/\t/evil.example",
  "\t//evil.example",
  "/\n/evil.example",
  " //evil.example",
  "/ /evil.example",
  "javascript:alert(1)",
  "/é",
  "/a\r\nSet-Cookie: x=y",
])("%j is no path to return to", (path) => expect(isLocalPath(path)).toBe(false));

test("a path to return to stays on this site, as browsers read it", () => {
  for (const path of [
    "/.//evil.example",
    "/..//evil.example",
    "/@evil.example",
    "/%2f/evil.example",
    "/;//evil.example",
  ]) {
    expect(isLocalPath(path)).toBe(true);
    expect(new URL(path, "https://bellhop.example").host).toBe("bellhop.example");
  }
});

test.each([
  ["https://issuer.example.com/realm", true],
  ["http://127.0.0.1:9000", true],
  ["http://localhost:9000", true],
  ["http://issuer.example.com", false],
  ["http://127.0.0.1.example.com", false],
  ["https://user:password@issuer.example.com", false],
  ["file:///etc/passwd", false],
  ["issuer", false],
])("an issuer at %s: %p", (address, expected) => expect(isSafeUrl(address)).toBe(expected));
