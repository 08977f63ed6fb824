import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { paramProblems } from "../support/problems.ts";

const NOTIFICATION = "notification.sendNotification";

function rendered(channel: string, to: JsonValue, team: JsonValue) {
  const input = renderParams(NOTIFICATION, { channel, to, message: "x" }, () => team);
  return input.ok ? input.params["to"] : input.failure;
}

function refusedPaths(params: JsonObject): string[] {
  return paramProblems(NOTIFICATION, { message: "x", ...params }, "params").map(({ path }) => path);
}

describe("a value inside a mail address stays part of that address", () => {
  const to = "oncall+{{webhook.team}}@example.com";

  test("a plain value is filled in", () => {
    expect(rendered("email", to, "infra-1")).toBe("oncall+infra-1@example.com");
    expect(rendered("email", [to, "ada@example.com"], 5)).toEqual(["oncall+5@example.com", "ada@example.com"]);
  });

  test.each([
    "x@example.com, evil@evil.example, a",
    "x;y",
    "x>",
    "<x",
    '"x',
    "a b",
    "a\tb",
    "a\r\nBcc: eve@example.com",
    "a\u0000b",
    "evil@evil.example",
  ])("%j is refused", (team) => {
    const failure = rendered("email", to, team);
    expect(failure).toMatchObject({ code: "invalid_params", message: expect.stringContaining("to: the value of {{") });
    expect(rendered("email", ["ada@example.com", to], team)).toMatchObject({
      message: expect.stringContaining("to.1: "),
    });
  });

  test.each(["to", "cc", "bcc"])("is checked in %s of email.sendEmail, too", (name) => {
    const params = { to: "ada@example.com", subject: "s", text: "t", [name]: to };
    expect(renderParams("email.sendEmail", params, () => "infra").ok).toBe(true);
    expect(renderParams("email.sendEmail", params, () => "x@y.example,z")).toMatchObject({
      ok: false,
      failure: { code: "invalid_params" },
    });
  });

  test("a template that is a whole entry may give an address or a list, also within a list", () => {
    expect(rendered("email", "{{webhook.to}}", "a@x.example, b@y.example")).toBe("a@x.example, b@y.example");
    expect(rendered("email", "{{webhook.to}}", ["a@x.example", "b@y.example"])).toEqual(["a@x.example", "b@y.example"]);
    expect(rendered("email", ["{{webhook.to}}"], "a@x.example")).toEqual(["a@x.example"]);
  });

  test("is checked when the channel comes from a template", () => {
    const params = { channel: "{{webhook.channel}}", to, message: "x" };
    const input = renderParams(NOTIFICATION, params, ([, name]) => (name === "channel" ? "email" : "x@y.example,z"));
    expect(input).toMatchObject({ ok: false, failure: { code: "invalid_params" } });
  });
});

describe("a value inside a webhook's URL stays one component of that URL", () => {
  const to = "https://example.com/team/{{webhook.team}}/alerts?for={{webhook.team}}";

  test.each([
    ["infra", "infra"],
    ["a/..b?x=1#", "a%2F..b%3Fx%3D1%23"],
    ["a b&c", "a%20b%26c"],
    ["ä\\", "%C3%A4%5C"],
  ])("%j becomes %s", (team, encoded) => {
    expect(rendered("webhook", to, team)).toBe(`https://example.com/team/${encoded}/alerts?for=${encoded}`);
    expect(rendered("webhook", [to], team)).toEqual([`https://example.com/team/${encoded}/alerts?for=${encoded}`]);
  });

  test.each([".", "..", "../../ok?x=1#", "a\\.\\b", "%2E%2e%2fok"])(
    "%j is refused, because it would lead to another path",
    (team) => {
      expect(rendered("webhook", to, team)).toMatchObject({ code: "invalid_params" });
    },
  );

  test("a template that is the whole URL gives the whole URL", () => {
    expect(rendered("webhook", "{{webhook.url}}", "https://example.com/a?b=c")).toBe("https://example.com/a?b=c");
  });

  test.each([
    "http://{{webhook.team}}.localhost/alerts",
    "https://example.{{webhook.team}}/alerts",
    "https://example.com:{{webhook.team}}/alerts",
    "https://{{webhook.team}}@example.com/alerts",
    "{{webhook.team}}://example.com/alerts",
    "{{webhook.base}}/alerts",
    "https:{{webhook.team}}/alerts",
    "https:///{{webhook.team}}/alerts",
    "https:\\\\{{webhook.team}}/alerts",
    "ht\ntps://{{webhook.team}}/alerts",
  ])("%j is refused when it is saved, and when it is sent", (address) => {
    expect(refusedPaths({ channel: "webhook", to: address })).toEqual(["params.to"]);
    expect(refusedPaths({ channel: "webhook", to: [address] })).toEqual(["params.to.0"]);
    expect(rendered("webhook", address, "example.org")).toMatchObject({ code: "invalid_params" });
  });
});

describe("a recipient without templates is checked when it is saved", () => {
  test.each([
    ["email", "ada@example.com, Grace <grace@example.com>"],
    ["email", ["ada@example.com", "{{webhook.to}}"]],
    ["email", "{{webhook.name}} <ada@example.com>"],
    ["email", "{{webhook.to}}"],
    ["sms", "+1 (500) 555-0006"],
    ["sms", "+1{{webhook.number}}"],
    ["webhook", "https://example.com/hooks?a=b"],
    ["webhook", "http://localhost:8080/hooks"],
    ["webhook", "http://[::1]:8080"],
    ["webhook", "https://example.com/{{webhook.team}}"],
    ["webhook", ["https://example.com/"]],
    ["{{webhook.channel}}", "anything"],
  ])("%s to %j is accepted", (channel, to) => {
    expect(refusedPaths({ channel, to })).toEqual([]);
  });

  test.each<[string, JsonValue, string]>([
    ["email", "ada", "params.to"],
    ["email", " , ", "params.to"],
    ["email", ["ada@example.com", "grace"], "params.to.1"],
    ["email", "https://example.com", "params.to"],
    // No value can make this text an address.
    ["email", "{{webhook.to}}, ada@example.com", "params.to"],
    ["sms", "0500 555", "params.to"],
    ["sms", ["+15005550006", "+15005550007"], "params.to"],
    ["webhook", "ftp://x", "params.to"],
    ["webhook", "alerts", "params.to"],
    ["webhook", "http://example.com/x", "params.to"],
    ["webhook", "https://user:secret-pass@example.com/x", "params.to"],
    ["webhook", ["https://example.com/a", "https://example.com/b"], "params.to"],
    ["pigeon", "x", "params.channel"],
  ])("%s to %j is refused", (channel, to, path) => {
    expect(refusedPaths({ channel, to })).toEqual([path]);
  });

  test("a refusal does not repeat a password in a URL", () => {
    const params = { channel: "webhook", to: "https://user:secret-pass@example.com/x", message: "x" };
    expect(JSON.stringify(paramProblems(NOTIFICATION, params, "params"))).not.toContain("secret-pass");
  });
});
