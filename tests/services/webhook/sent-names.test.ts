import { expect, test } from "bun:test";
import { sentNames } from "../../../worker/services/webhook/sent-names.ts";

test("no header that repeats a secret of the address is offered, under any name", () => {
  const address = "/hook?secret=whs_abc&env=prod";
  const headers = new Headers({
    Referer: `https://bellhop.example${address}`,
    "X-Original-URI": "/hook",
    "X-Forwarded-Path": "/hook",
    "X-Proxy-Saw": `GET ${address}`,
    "X-Event": "push",
  });
  expect(sentNames(headers, `https://bellhop.example${address}`).headers).toEqual([["x-event", "push"]]);
  expect(sentNames(headers, "https://bellhop.example/hook?secret=").headers).toEqual([
    ["x-event", "push"],
    ["x-proxy-saw", `GET ${address}`],
  ]);
});

test("a webhook's templates are offered no header and no parameter that holds a secret", () => {
  const headers = new Headers({
    Authorization: "Bearer x",
    Cookie: "session=x",
    "X-Hub-Signature-256": "x",
    "X-Gitlab-Token": "x",
    "X-Api-Key": "x",
    "X-Event": "push",
  });
  const { headers: offered, query } = sentNames(headers, "https://bellhop.example/hook?secret=x&env=prod&env=test");
  expect(offered).toEqual([["x-event", "push"]]);
  expect(query).toEqual([
    ["env", "prod"],
    ["env", "test"],
  ]);
});
