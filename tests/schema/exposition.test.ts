import { describe, expect, test } from "bun:test";
import { exposition, single } from "../../schema/contract/exposition.ts";
import { parsePrometheusText, valueOf } from "../support/prometheus-text.ts";

describe("a scraper reads the written metrics", () => {
  test.each([
    ["a quote", 'say "no"'],
    ["a backslash", "C:\\temp\\new"],
    ["a line break", "one\ntwo"],
    ["a backslash before a quote", '\\"'],
    ["braces, commas and other scripts", "{a=1}, küche 🛎"],
    ["nothing", ""],
  ])("with %s in a label and in the help text", (_what, text) => {
    const written = exposition([
      { name: "test_jobs", type: "gauge", help: `Help: ${text}`, samples: [{ labels: { pool: text }, value: 3 }] },
    ]);
    const read = parsePrometheusText(written);
    expect(read.get("test_jobs")?.help).toBe(`Help: ${text}`);
    expect(valueOf(read, "test_jobs", { pool: text })).toBe(3);
  });

  test.each([0, -1, 1.5, 1e21, 1e-9, Number.MAX_SAFE_INTEGER, Number.NaN, Infinity, -Infinity])(
    "with the value %p",
    (value) => {
      const written = exposition([{ name: "test_value", type: "gauge", help: "A value.", samples: single(value) }]);
      expect(valueOf(parsePrometheusText(written), "test_value")).toBe(value);
    },
  );

  test("a metric without samples is omitted", () => {
    expect(exposition([{ name: "test_none", type: "gauge", help: "None.", samples: [] }])).toBe("");
  });
});

describe("the strict reader refuses", () => {
  const head = "# HELP a_b Help.\n# TYPE a_b gauge\n";
  test.each([
    ["no line feed at the end", `${head}a_b 1`],
    ["a sample without its family", "a_b 1\n"],
    ["a TYPE without a HELP", "# TYPE a_b gauge\na_b 1\n"],
    ["a family without samples", head],
    ["a series twice", `${head}a_b{x="1",y="2"} 1\na_b{y="2",x="1"} 2\n`],
    ["a family in two places", `${head}a_b 1\n# HELP c Help.\n# TYPE c gauge\nc 1\na_b{x="1"} 1\n`],
    ["an unknown escape", `${head}a_b{x="\\t"} 1\n`],
    ["an open label value", `${head}a_b{x="1} 1\n`],
    ["an invalid label name", `${head}a_b{1x="1"} 1\n`],
    ["an invalid value", `${head}a_b one\n`],
    ["a counter without _total", "# HELP a Help.\n# TYPE a counter\na 1\n"],
    ["a gauge with _total", "# HELP a_total Help.\n# TYPE a_total gauge\na_total 1\n"],
    ["a gauge with a quantile", `${head}a_b{quantile="0.5"} 1\n`],
    ["milliseconds", "# HELP a_ms Help.\n# TYPE a_ms gauge\na_ms 1\n"],
    ["an empty line", `${head}\na_b 1\n`],
  ])("%s", (_what, text) => {
    expect(() => parsePrometheusText(text)).toThrow();
  });
});
