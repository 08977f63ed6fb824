import { expect, test } from "bun:test";
import { z } from "zod";
import { configFields } from "../../schema/contract/connections/descriptor.ts";

test("the schema of a set of fields is built at its first use, and once", () => {
  let made = 0;
  const makeSchema = () => {
    made++;
    return z.string();
  };

  const set = configFields({
    host: {
      get schema() {
        return makeSchema();
      },
      label: "Server",
    },
  });

  expect(made).toBe(0);
  expect(set.schema.parse({ host: "db-1" })).toEqual({ host: "db-1" });
  expect(set.schema).toBe(set.schema);
  expect(made).toBe(1);
});
