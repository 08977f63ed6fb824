import { expect, test } from "bun:test";
import { CONNECTION_CONFIGS } from "../../schema/contract/connection.ts";

test.each(["Accept", "User-Agent", "host", "Content-Length"])("an API key cannot travel in the header %s", (name) => {
  const config = { baseUrl: "https://api.example.com", authType: "apiKey", apiKeyHeader: name };
  const issues = CONNECTION_CONFIGS.http.safeParse(config).error?.issues;
  expect(issues?.map(({ path }) => path)).toEqual([["apiKeyHeader"]]);
});
