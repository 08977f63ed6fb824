import { expect, test } from "bun:test";
import fc from "fast-check";
import { encodeCommand, InvalidReply, type Reply, ReplyParser } from "../../agent/executors/redis/resp.ts";

const SEED = 4_711;

/** A reply in RESP2, as a server sends it. */
function written(reply: Reply): Buffer {
  if (reply === null) return Buffer.from("$-1\r\n");
  if (Buffer.isBuffer(reply)) return Buffer.concat([Buffer.from(`$${reply.length}\r\n`), reply, Buffer.from("\r\n")]);
  if (Array.isArray(reply)) return Buffer.concat([Buffer.from(`*${reply.length}\r\n`), ...reply.map(written)]);
  return Buffer.from(typeof reply === "object" ? `-${reply.error}\r\n` : `:${reply}\r\n`);
}

/** The parser's reply for chunks of `size` bytes. */
function parse(bytes: Buffer, size: number): Reply | undefined {
  const parser = new ReplyParser();
  let reply: Reply | undefined;
  for (let at = 0; at < bytes.length; at += size) reply = parser.push(bytes.subarray(at, at + size));
  return reply;
}

const { reply: replies } = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 5 },
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.maxSafeInteger().map((value) => value + 0),
    fc.constant(null),
    fc.constantFrom("ERR", "").map((error) => ({ error })),
    fc.array(tie("reply"), { maxLength: 5 }),
  ),
}));

test("a reply in chunks of any size is parsed", () => {
  const property = fc.property(replies, fc.integer({ min: 1, max: 20 }), (reply, size) => {
    expect(parse(written(reply), size)).toEqual(reply);
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("an incomplete reply is undefined", () => {
  const property = fc.property(replies, fc.nat(), (reply, cut) => {
    const bytes = written(reply);
    expect(parse(bytes.subarray(0, cut % bytes.length), 7)).toBeUndefined();
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("random bytes are a reply, an incomplete one, or an InvalidReply", () => {
  const byte = fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(...Buffer.from("+-:$*>%_#\r\n0123456789")));
  const property = fc.property(fc.array(byte), fc.integer({ min: 1, max: 20 }), (bytes, size) => {
    try {
      parse(Buffer.from(bytes), size);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidReply);
    }
  });
  fc.assert(property, { seed: SEED, numRuns: 5_000 });
});

test("a long string in single bytes is parsed in linear time", () => {
  const line = Buffer.from(`+${"x".repeat(200_000)}\r\n`);
  expect(parse(line, 1)).toHaveLength(200_000);
});

test("every word of a command is one bulk string, also with a lone surrogate", () => {
  expect(encodeCommand(["SET", "a\r\n$1", "\ud800ü"]).toString()).toBe(
    "*3\r\n$3\r\nSET\r\n$5\r\na\r\n$1\r\n$5\r\n\ufffdü\r\n",
  );
});
