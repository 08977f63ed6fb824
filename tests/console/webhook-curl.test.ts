import { describe, expect, test } from "bun:test";
import { requestWith, webhookCurl } from "../../console/views/workflows/curl.ts";

describe("the curl command of a webhook", () => {
  test("of a workflow that reads the whole request sends its body, headers and parameters", () => {
    const variables = { body: { a: 1 }, headers: { "x-event": "push" }, query: { env: "a b" } };
    const request = requestWith({ type: "webhook", payload: "body" }, variables);
    const command = webhookCurl({ url: "https://bellhop.example/hook", by: "bearer", secret: "whs_1", ...request });
    expect(command).toContain("'https://bellhop.example/hook?env=a+b'");
    expect(command).toContain("-H 'x-event: push'");
    expect(command).toContain(`-d '{"a":1}'`);
    expect(requestWith({ type: "webhook" }, { a: 1 })).toEqual({ body: { variables: { a: 1 } } });
  });

  test("is quoted, so a shell passes it unchanged", async () => {
    const body = { variables: { name: 'it\'s $HOME `x` \\ "y"\n' } };
    const command = webhookCurl({ url: "https://bellhop.example/api?a=1&b=2", by: "bearer", secret: null, body });
    expect(command).toContain("Bearer YOUR_WEBHOOK_SECRET");
    const shell = Bun.spawn(["sh", "-c", command.replace("curl -sS", "printf '%s\\n--\\n'")], { stdout: "pipe" });
    const args = (await new Response(shell.stdout).text()).split("\n--\n");
    expect(args).toContain("https://bellhop.example/api?a=1&b=2");
    expect(args).toContain(JSON.stringify(body));
  });

  test("has the secret in the address, for a webhook that is verified by it", () => {
    const call = { url: "https://bellhop.example/hook", by: "address", body: {} } as const;
    expect(webhookCurl({ ...call, secret: null })).toContain(
      "'https://bellhop.example/hook?secret=YOUR_WEBHOOK_SECRET'",
    );
    const made = webhookCurl({ ...call, url: `${call.url}?secret=whs_1`, secret: "whs_1", query: { env: "prod" } });
    expect(made).toContain("'https://bellhop.example/hook?secret=whs_1&env=prod'");
    expect(made).not.toContain("Authorization");
  });
});
