import { expect, test } from "bun:test";
import { jobEnvironment } from "../../agent/executors/shared/environment.ts";

const OWN = {
  HTTPS_PROXY: "http://ada:canary@proxy.example:8080",
  http_proxy: "ada:c@n@ry@proxy.example",
  NO_PROXY: "localhost,.example.com",
  HOME: "/home/ada",
};

test("a job of another account gets the proxies' addresses without their login, and no variables of the agent's account", () => {
  expect(jobEnvironment({ otherAccount: true }, OWN)).toEqual({
    PATH: expect.any(String),
    HTTPS_PROXY: "http://proxy.example:8080",
    http_proxy: "proxy.example",
    NO_PROXY: "localhost,.example.com",
  });
});

test("a job of the agent's own account gets that account's variables", () => {
  expect(jobEnvironment({ otherAccount: false }, OWN)).toMatchObject(OWN);
});
