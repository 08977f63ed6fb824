import { expect, test } from "bun:test";
import { signatureHeader, signingInput } from "../../worker/domain/notification/webhook-signature.ts";
import { parsePhoneNumber } from "../../worker/domain/notification/phone-number.ts";

test("a signature equals the published example of Standard Webhooks", () => {
  const key = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const input = signingInput("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, '{"test": 2432232314}');
  const signature = new Bun.CryptoHasher("sha256", Buffer.from(key, "base64")).update(input).digest("base64");
  expect(signatureHeader([signature])).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test.each([
  ["+15005550006", "+15005550006"],
  [" +44 20 7946-0958 ", "+442079460958"],
  ["+1 (500) 555.0006", "+15005550006"],
  ["0500 555 0006", null],
  ["+0500555000", null],
  ["+1234567890123456", null],
  ["+1500555000x", null],
  ["", null],
])("the number %j is %j", (text, number) => {
  expect(parsePhoneNumber(text)).toBe(number);
});
