import { expect, test } from "bun:test";
import { isLoopback } from "../../schema/contract/loopback.ts";

test.each(["localhost", "LOCALHOST.", "127.0.0.1", "127.8.9.10", "[::1]", "::1", "::ffff:127.0.0.1"])(
  "%s is this machine",
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each([
  "a.localhost",
  "localhost.example.com",
  "127.0.0.1.example.com",
  "127.example.com",
  "128.0.0.1",
  "127.999.1.1",
  "127.0.0.256",
  "[::2]",
  "",
])("%j may be another machine", (host) => expect(isLoopback(host)).toBe(false));
