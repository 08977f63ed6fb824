import { describe, expect, test } from "bun:test";
import { basicName, readAccount } from "../../agent/executors/winrm/account.ts";
import { answerNtlm } from "../../agent/executors/winrm/ntlm.ts";
import { answerChallenge, answerLm, directionKeys, ntowfv2, rc4 } from "../../agent/executors/winrm/ntlm-keys.ts";
import { AV, negotiateMessage, readChallenge, writePairs } from "../../agent/executors/winrm/ntlm-messages.ts";
import { ntlmSealing } from "../../agent/executors/winrm/sealing.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/gu, ""), "hex");
const utf16 = (text: string): Buffer => Buffer.from(text, "utf16le");

/** The example of MS-NLMP 4.2: User, Domain, Password, and fixed values instead of random ones. */
const responseKey = ntowfv2({ user: "User", domain: "Domain" }, "Password");
const example = {
  serverChallenge: hex("0123456789abcdef"),
  clientChallenge: hex("aaaaaaaaaaaaaaaa"),
  fileTime: Buffer.alloc(8),
  targetInfo: writePairs([
    [2, utf16("Domain")],
    [1, utf16("Server")],
  ]),
};
const sessionKey = Buffer.alloc(16, 0x55);

describe("NTLMv2 on the published example", () => {
  test("gives the same keys and answers (MS-NLMP 4.2.4.1 and 4.2.4.2)", () => {
    expect(responseKey.toString("hex")).toBe("0c868a403bfd7a93a3001ef22ef02e3f");
    const { ntChallengeResponse, sessionBaseKey } = answerChallenge(responseKey, example);
    expect(ntChallengeResponse.subarray(0, 16).toString("hex")).toBe("68cd0ab851e51c96aabc927bebef6a1c");
    expect(sessionBaseKey.toString("hex")).toBe("8de40ccadbc14a82f15cb0ad0de95ca3");
    expect(answerLm(responseKey, example.serverChallenge, example.clientChallenge).toString("hex")).toBe(
      "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa",
    );
    expect(rc4(sessionBaseKey)(sessionKey).toString("hex")).toBe("c5dad2544fc9799094ce1ce90bc9d03e");
  });

  test("puts a name in capitals by UTF-16 unit, as Windows does", () => {
    const key = (user: string): string => ntowfv2({ user, domain: "D" }, "p").toString("hex");
    expect(key("jürgen")).toBe(key("JÜRGEN"));
    expect(key("strauß")).toBe(key("STRAUß"));
    expect(key("strauß")).not.toBe(key("STRAUSS"));
    expect(key("ﬁna")).toBe(key("ﬁNA"));
    expect(key("a\u{10428}")).toBe(key("A\u{10428}"));
  });

  test("seals the message in the same way (MS-NLMP 4.2.4.4)", () => {
    expect(directionKeys(sessionKey, "client-to-server").sealing.toString("hex")).toBe(
      "59f600973cc4960a25480a7c196e4c58",
    );
    expect(directionKeys(sessionKey, "client-to-server").signing.toString("hex")).toBe(
      "4788dc861b4782f35d43fd98fe1a2d39",
    );
    const sealed = ntlmSealing(sessionKey).seal(utf16("Plaintext"));
    const [length, signature, message] = [sealed.subarray(0, 4), sealed.subarray(4, 20), sealed.subarray(20)];
    expect(length.toString("hex")).toBe("10000000");
    expect(signature.toString("hex")).toBe("010000007fb38ec5c55d497600000000");
    expect(message.toString("hex")).toBe("54e50165bf1936dc996020c1811b0f06fb5f");
  });
});

describe("a sealed NTLM connection", () => {
  /** The host's side: its messages are sealed with the keys of the other direction. */
  function answersOfHost(): (text: string) => Buffer {
    const keys = directionKeys(sessionKey, "server-to-client");
    const crypt = rc4(keys.sealing);
    let sequence = 0;
    return (text) => {
      const sealed = crypt(Buffer.from(text));
      const number = Buffer.alloc(4);
      number.writeUInt32LE(sequence++);
      const mac = new Bun.CryptoHasher("md5", keys.signing).update(number).update(text).digest();
      const checksum = crypt(Buffer.from(mac).subarray(0, 8));
      return Buffer.concat([hex("10000000 01000000"), checksum, number, sealed]);
    };
  }

  test("decrypts the host's answers only in their order", () => {
    const [answer, host] = [ntlmSealing(sessionKey), answersOfHost()];
    const [first, second] = [host("first"), host("second")];
    expect(answer.unseal(first).toString()).toBe("first");
    expect(answer.unseal(second).toString()).toBe("second");
    expect(() => answer.unseal(second)).toThrow("its signature does not fit");
  });

  test.each([
    ["a bit of the message", -1],
    ["a bit of the signature", 8],
    ["the sequence number", 16],
    ["the length of the signature", 0],
  ])("refuses an answer in which %s was changed", (_, at) => {
    const answer = answersOfHost()("the answer");
    answer[at < 0 ? answer.length + at : at] = (answer.at(at) ?? 0) ^ 1;
    expect(() => ntlmSealing(sessionKey).unseal(answer)).toThrow("its signature does not fit");
  });

  test("refuses a message that is too short for a signature", () => {
    expect(() => ntlmSealing(sessionKey).unseal(hex("10000000 0100"))).toThrow("its signature does not fit");
  });
});

describe("an NTLM challenge", () => {
  const target = writePairs([[AV.computerName, utf16("HOST7")]]);
  function challenge(flags: number, targetInfo = target): Buffer {
    const head = Buffer.alloc(56);
    head.write("NTLMSSP\0", "latin1");
    head.writeUInt32LE(2, 8);
    head.writeUInt32LE(flags >>> 0, 20);
    head.writeUInt16LE(targetInfo.length, 40);
    head.writeUInt32LE(head.length, 44);
    return Buffer.concat([head, targetInfo]);
  }
  const STRONG = 0xe28a8235;

  test("of a host without NTLMv2 and 128-bit keys is not answered", () => {
    expect(readChallenge(challenge(STRONG)).pairs).toEqual([[AV.computerName, utf16("HOST7")]]);
    for (const missing of [0x20000000, 0x40000000, 0x80000, 0x800000]) {
      expect(() => readChallenge(challenge(STRONG & ~missing))).toThrow("does not offer NTLMv2");
    }
  });

  test("that is malformed or cut off is refused", () => {
    for (const broken of [Buffer.alloc(0), Buffer.from("NTLMSSP\0"), Buffer.alloc(60), negotiateMessage()]) {
      expect(() => readChallenge(broken)).toThrow("not an NTLM message");
    }
    expect(() => readChallenge(challenge(STRONG, target.subarray(0, 4)))).toThrow("cut off");
  });

  test.each([
    ["flags of two bytes", writePairs([[AV.flags, Buffer.alloc(2)]]), "a field 6 of 2 bytes"],
    ["no bytes of flags", writePairs([[AV.flags, Buffer.alloc(0)]]), "a field 6 of 0 bytes"],
    ["half a time", writePairs([[AV.timestamp, Buffer.alloc(4)]]), "a field 7 of 4 bytes"],
    ["a name longer than the list", hex("0100 ff00 4100 0000 0000"), "cut off"],
    ["a list without an end", target.subarray(0, -4), "cut off"],
  ])("with %s is refused", (_, pairs, part) => {
    const login = { account: readAccount("ops"), password: "p", service: "HTTP/h", now: 0, channelBinding: null };
    expect(() => answerNtlm(negotiateMessage(), challenge(STRONG, pairs), login)).toThrow(
      expect.objectContaining({ code: "authentication_failed", message: expect.stringContaining(part) }),
    );
  });

  test("is answered for this service and this TLS connection only", () => {
    const login = { account: readAccount(".\\ops"), password: "secret", service: "HTTP/host7", now: 0 };
    const bound = answerNtlm(negotiateMessage(), challenge(STRONG), { ...login, channelBinding: Buffer.alloc(32, 7) });
    const unbound = answerNtlm(negotiateMessage(), challenge(STRONG), { ...login, channelBinding: null });
    const binding = (message: Buffer): string =>
      /0a001000([0-9a-f]{32})/u.exec(message.toString("hex"))?.[1] ?? "there is none";
    expect(bound.message.includes(utf16("HTTP/host7"))).toBe(true);
    expect(bound.message.includes(utf16("HOST7ops"))).toBe(true);
    expect(bound.message.includes(Buffer.from("secret"))).toBe(false);
    expect(binding(unbound.message)).toBe("0".repeat(32));
    // The MD5 of five zero fields, the length 53, the prefix and the hash, as in RFC 2744.
    expect(binding(bound.message)).toBe("b1a3c6580100729194d4b9487c9edceb");
  });
});

describe("a Windows account", () => {
  test.each([
    ["CORP\\ops", { domain: "CORP", user: "ops" }],
    [".\\ops", { domain: ".", user: "ops" }],
    ["ops@corp.example", { domain: "", user: "ops@corp.example" }],
    ["ops", { domain: "", user: "ops" }],
    ["CORP\\a\\b", { domain: "CORP", user: "a\\b" }],
  ])("%s is parsed as Windows does", (username, account) => {
    expect(readAccount(username)).toEqual(account);
  });

  test("of the machine is sent without its dot by Basic", () => {
    expect(["ops", ".\\ops", "HOST7\\ops"].map(basicName)).toEqual(["ops", "ops", "HOST7\\ops"]);
  });
});
