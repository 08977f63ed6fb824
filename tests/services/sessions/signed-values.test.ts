import { describe, expect, test } from "bun:test";
import { checkKnownDevice, makeKnownDevice } from "../../../worker/services/sessions/known-device.ts";
import { mintSession, openSessionCookie } from "../../../worker/services/sessions/session-id.ts";
import { networkOf } from "../../../worker/http/caller-address.ts";

const SECRET = "a-server-secret-of-more-than-32-characters";
const OTHER = "another-server-secret-of-over-32-characters";

describe("a session's cookie", () => {
  test("has an id whose digest is the key of its row, and does not contain that digest", () => {
    const { cookie, idDigest } = mintSession(SECRET);
    expect(openSessionCookie(SECRET, cookie)).toEqual({ idDigest });
    expect(cookie).not.toContain(idDigest);
  });

  test("is refused when it was changed, or signed elsewhere or for another purpose", () => {
    const { cookie } = mintSession(SECRET);
    const [id = "", signature = ""] = cookie.split(".");
    const other = mintSession(SECRET).cookie.split(".")[0] ?? "";
    for (const forged of [`${other}.${signature}`, `${id}.`, id, `${id}.${signature}x`, "", ".", `.${signature}`]) {
      expect(openSessionCookie(SECRET, forged)).toBeNull();
    }
    expect(openSessionCookie(OTHER, cookie)).toBeNull();
    expect(openSessionCookie(SECRET, makeKnownDevice(SECRET, "a@example.com"))).toBeNull();
  });
});

test("a device cookie is valid for one email only", () => {
  const cookie = makeKnownDevice(SECRET, "a@example.com");
  expect(checkKnownDevice(SECRET, "a@example.com", cookie)).toBe(cookie.split(".")[0] ?? "");
  expect(checkKnownDevice(SECRET, "b@example.com", cookie)).toBeNull();
  expect(checkKnownDevice(OTHER, "a@example.com", cookie)).toBeNull();
  expect(checkKnownDevice(SECRET, "a@example.com", null)).toBeNull();
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:0DB8:1::9", "2001:db8:1:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::ffff:192.0.2.7", "0:0:0:0:0:ffff:c000:207"],
  ["local", "local"],
  ["not:an:address", "not:an:address"],
])("a caller at %s is counted under %s", (address, expected) => {
  expect(networkOf(address)).toBe(expected);
});
