import { expect, test } from "bun:test";
import { CONNECTION_CONFIGS, CONNECTION_TYPES, descriptorOf } from "../../schema/contract/connection.ts";

test.each(["Accept", "User-Agent", "host", "Content-Length"])("an API key cannot be sent in the header %s", (name) => {
  const config = { baseUrl: "https://api.example.com", authType: "apiKey", apiKeyHeader: name };
  const issues = CONNECTION_CONFIGS.http.safeParse(config).error?.issues;
  expect(issues?.map(({ path }) => path)).toEqual([["apiKeyHeader"]]);
});

/** The types that connect to a host and a port, with the field of the host. */
const WITH_HOST = CONNECTION_TYPES.flatMap((type) =>
  Object.keys(descriptorOf(type).config.fields)
    .filter((field) => /host$/iu.test(field))
    .map((field) => ({ type, field, config: descriptorOf(type).example.config })),
);

test.each(WITH_HOST)("$field of $type contains no port", ({ type, field, config }) => {
  const pathsWith = (host: string) =>
    CONNECTION_CONFIGS[type].safeParse({ ...config, [field]: host }).error?.issues.map(({ path }) => path) ?? [];
  for (const host of ["127.0.0.1:42653", "db.internal:5432", "[::1]:22", "db:"]) {
    expect({ host, paths: pathsWith(host) }).toEqual({ host, paths: [[field]] });
  }
  for (const host of ["127.0.0.1", "db.internal", "::1", "[::1]", "fe80::1:2"]) expect(pathsWith(host)).toEqual([]);
});

test("the list has every type with a host", () => {
  expect(WITH_HOST.map(({ type }) => type)).toEqual(["ssh", "winrm", "database", "redis", "email"]);
});
