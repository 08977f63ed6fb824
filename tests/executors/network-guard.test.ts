import { describe, expect, test } from "bun:test";
import { checkHost, privateRangeOf } from "../../agent/network-guard.ts";

describe("the network guard", () => {
  const blocked: [string, string][] = [
    // The ranges of docs/design/connections.md#network-guard, with the first and last address of each.
    ["127.0.0.0", "127.0.0.0/8"],
    ["127.255.255.255", "127.0.0.0/8"],
    ["10.0.0.0", "10.0.0.0/8"],
    ["10.255.255.255", "10.0.0.0/8"],
    ["172.16.0.0", "172.16.0.0/12"],
    ["172.31.255.255", "172.16.0.0/12"],
    ["192.168.0.0", "192.168.0.0/16"],
    ["192.168.255.255", "192.168.0.0/16"],
    ["169.254.0.0", "169.254.0.0/16"],
    ["169.254.169.254", "169.254.0.0/16"],
    // Other addresses that are not public hosts.
    ["0.0.0.0", "0.0.0.0/8"],
    ["100.100.100.200", "100.64.0.0/10"],
    ["192.0.0.170", "192.0.0.0/24"],
    ["198.18.0.1", "198.18.0.0/15"],
    ["224.0.0.1", "224.0.0.0/4"],
    ["255.255.255.255", "240.0.0.0/4"],
    ["::", "::/128"],
    ["::1", "::1/128"],
    ["fc00::1", "fc00::/7"],
    ["fdff:ffff::1", "fc00::/7"],
    ["fe80::1", "fe80::/10"],
    ["fe80::1%eth0", "fe80::/10"],
    ["fec0::1", "fec0::/10"],
    ["ff02::1", "ff00::/8"],
    ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001::/32"],
    ["64:ff9b:1::a00:1", "64:ff9b:1::/48"],
    // IPv4 addresses inside IPv6 addresses: mapped, compatible, translated, NAT64, 6to4.
    ["::ffff:127.0.0.1", "127.0.0.0/8"],
    ["::ffff:7f00:1", "127.0.0.0/8"],
    ["0:0:0:0:0:ffff:0a00:0001", "10.0.0.0/8"],
    ["::127.0.0.1", "127.0.0.0/8"],
    ["::ffff:0:169.254.169.254", "169.254.0.0/16"],
    ["64:ff9b::10.0.0.1", "10.0.0.0/8"],
    ["64:ff9b::c0a8:101", "192.168.0.0/16"],
    ["2002:7f00:1::", "127.0.0.0/8"],
    ["2002:ac10:1::1", "172.16.0.0/12"],
    ["no address at all", "unknown addresses"],
  ];
  for (const [address, range] of blocked) {
    test(`blocks ${address}`, () => expect(privateRangeOf(address)).toBe(range));
  }

  const open = [
    ..."1.1.1.1 9.255.255.255 11.0.0.0 126.255.255.255 128.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255".split(" "),
    ..."192.169.0.0 169.253.255.255 169.255.0.0 100.63.255.255 100.128.0.0 223.255.255.255".split(" "),
    ..."2606:4700:4700::1111 2001:4860:4860::8888 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1".split(" "),
  ];
  for (const address of open) {
    test(`lets ${address} pass`, () => expect(privateRangeOf(address)).toBeNull());
  }

  test("resolves a name once and returns the checked addresses", async () => {
    let lookups = 0;
    const lookup = async (): Promise<string[]> => {
      lookups += 1;
      return ["1.1.1.1", "2606:4700::1"];
    };
    const verdict = await checkHost("host.example", { allowPrivateNetwork: false, lookup });
    expect(verdict).toEqual({ allowed: true, addresses: ["1.1.1.1", "2606:4700::1"] });
    expect(lookups).toBe(1);
  });

  test("refuses a name with one private address among public ones", async () => {
    const lookup = async (): Promise<string[]> => ["1.1.1.1", "::ffff:10.0.0.1"];
    const verdict = await checkHost("host.example", { allowPrivateNetwork: false, lookup });
    expect(verdict).toEqual({ allowed: false, address: "::ffff:10.0.0.1", range: "10.0.0.0/8" });
  });

  test("resolves literal addresses without DNS, in brackets or not", async () => {
    const lookup = async (): Promise<string[]> => {
      throw new Error("asked");
    };
    for (const host of ["127.0.0.1", "[::1]", "::1"]) {
      expect((await checkHost(host, { allowPrivateNetwork: false, lookup })).allowed).toBe(false);
      expect((await checkHost(host, { allowPrivateNetwork: true, lookup })).allowed).toBe(true);
    }
  });

  test("resolves names as the operating system does", async () => {
    const verdict = await checkHost("localhost", { allowPrivateNetwork: false });
    expect(verdict.allowed).toBe(false);
  });
});
