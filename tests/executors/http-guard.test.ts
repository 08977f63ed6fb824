import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemLookup } from "../../agent/network-guard.ts";
import { failureOf, outputOf } from "../support/executor-context.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";

/** Every request goes to a loopback server that the guard must never allow. */
let server: Bun.Server<undefined>;
let requests = 0;
beforeAll(() => {
  server = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    fetch: () => {
      requests += 1;
      return new Response("inside");
    },
  });
});
afterAll(() => server.stop(true));

function guarded(url: string, names: Record<string, string[]> = {}) {
  return requestWith(
    { lookup: namesOnly(names) },
    { baseUrl: "https://api.example" },
    { url },
    { allowPrivateNetwork: false },
  );
}

describe("an HTTP request to a private address", () => {
  const hosts = [
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "2130706433",
    "0",
    "0.0.0.0",
    "①②⑦.0.0.1",
    "127。0。0。1",
    "127.0.0.1.",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "10.0.0.1",
    "169.254.169.254",
    "[fd00::1]",
  ];
  for (const host of hosts) {
    test(`written as ${host} is blocked`, async () => {
      const before = requests;
      const { code, message } = failureOf(await guarded(`http://${host}:${server.port}/`));
      expect(code).toBe("address_blocked");
      expect(message).toContain("ALLOW_PRIVATE_NETWORK");
      expect(requests).toBe(before);
    });
  }

  test("behind a name is blocked, and the error has the name and the address", async () => {
    const { code, message } = failureOf(
      await guarded(`http://inside.example:${server.port}/`, { "inside.example": ["127.0.0.1"] }),
    );
    expect(code).toBe("address_blocked");
    for (const part of ["inside.example", "127.0.0.1", "ALLOW_PRIVATE_NETWORK"]) expect(message).toContain(part);
  });

  test("behind a name with public addresses as well is blocked", async () => {
    const outcome = await guarded(`http://mixed.example:${server.port}/`, {
      "mixed.example": ["192.0.2.1", "127.0.0.1"],
    });
    expect(failureOf(outcome).code).toBe("address_blocked");
  });

  test("is blocked as localhost, resolved by the system", async () => {
    const url = `http://localhost:${server.port}/`;
    const outcome = await requestWith({ lookup: systemLookup }, { baseUrl: url }, {}, { allowPrivateNetwork: false });
    expect(failureOf(outcome).code).toBe("address_blocked");
  });

  test("is sent with ALLOW_PRIVATE_NETWORK", async () => {
    const outcome = await requestWith(
      {},
      { baseUrl: `http://127.0.0.1:${server.port}` },
      {},
      { allowPrivateNetwork: true },
    );
    expect(outputOf(outcome)["body"]).toBe("inside");
  });
});

test("a name is resolved once, and the connection goes to the checked address even if the name changes", async () => {
  const checked = Bun.serve({
    hostname: "127.0.0.2",
    port: 0,
    fetch: () => new Response("the address that was checked"),
  });
  let lookups = 0;
  const rebinding = async (): Promise<string[]> => {
    lookups += 1;
    return lookups === 1 ? ["127.0.0.2"] : ["127.0.0.1"];
  };
  try {
    const outcome = await requestWith(
      { lookup: rebinding },
      { baseUrl: `http://rebinding.example:${checked.port}` },
      {},
    );
    expect(outputOf(outcome)["body"]).toBe("the address that was checked");
    expect(lookups).toBe(1);
  } finally {
    await checked.stop(true);
  }
});

test("protocols other than http and https are refused", async () => {
  for (const url of ["file:///etc/passwd", "ftp://host/x", "data:text/plain,x", "gopher://127.0.0.1/"]) {
    expect(failureOf(await guarded(url)).code).toBe("invalid_params");
  }
});
