import { describe, expect, test } from "bun:test";
import { assert, constantFrom, dictionary, jsonValue, property, string } from "fast-check";
import { scanPayload } from "../../worker/domain/payload-hash.ts";

const SAME: [title: string, one: string, other: string][] = [
  ["only the order of keys differs", '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ["only the order of nested keys differs", '{"x":{"a":[{"c":1,"d":2}],"b":2}}', '{"x":{"b":2,"a":[{"d":2,"c":1}]}}'],
  ["only white space differs", '{"a":[1,2],"b":{}}', ' {\n\t"a" : [ 1 ,\r\n 2 ] , "b" : { } } '],
  ["there is no body, or an empty object", "", "{}"],
  ["the body is blank, or an empty object", " \n\t\r", "{ }"],
  ["one has an escape and the other the character", '{"name":"caf\\u00e9\\/\\u0041"}', '{"name":"café/A"}'],
  ["a key is escaped in one", '{"\\u0061":1}', '{"a":1}'],
  ["only the case of an escape's digits differs", '"\\u00E9"', '"\\u00e9"'],
  ["two escapes make one character", '"\\ud83d\\ude00"', '"😀"'],
  ["escapes of control characters are spelled differently", '"\\u000a\\u0008"', '"\\n\\b"'],
  ["a key occurs twice, and its last value is the same", '{"a":1,"a":2}', '{"a":2}'],
  ["a key occurs twice, once escaped, and its last value is the same", '{"a":1,"\\u0061":2}', '{"a":2}'],
];

const DIFFERENT: [title: string, one: string, other: string][] = [
  ["values differ", '{"a":1}', '{"a":2}'],
  ["the order of items differs", "[1,2]", "[2,1]"],
  ["a number is written differently", '{"a":1}', '{"a":1.0}'],
  ["a number has an exponent", "100", "1e2"],
  ["zero has a minus sign", "0", "-0"],
  ["big integers would be rounded to the same number", "12345678901234567890", "12345678901234567891"],
  ["a number becomes a string", '{"a":1}', '{"a":"1"}'],
  ["a key is null or missing", '{"a":null}', "{}"],
  ["true becomes a string", "true", '"true"'],
  ["a letter is composed or decomposed", '"\u00e9"', '"e\u0301"'],
  ["a lone surrogate becomes the replacement character", '"\\ud800"', '"\ufffd"'],
  ["an escaped quote would end a string", '{"a":"\\"b","c":"d"}', '{"a":"b","c":"d"}'],
  ["an object becomes its text", '{"a":"{\\"b\\":1}"}', '{"a":{"b":1}}'],
  ["an empty object becomes an empty list", "{}", "[]"],
  ["variables are empty or missing", '{"variables":{}}', "{}"],
  ["a string ends with a backslash", '["a\\\\","b"]', '["a\\\\,b"]'],
];

const canonicalJson = (text: string) => scanPayload(text).canonical;

describe("the canonical text of a payload", () => {
  for (const [title, one, other] of SAME) {
    test(`is the same where ${title}`, () => {
      expect(canonicalJson(one)).toBe(canonicalJson(other));
    });
  }

  for (const [title, one, other] of DIFFERENT) {
    test(`differs where ${title}`, () => {
      expect(canonicalJson(one)).not.toBe(canonicalJson(other));
    });
  }

  test("is JSON of the same value for any output of JSON.stringify", () => {
    assert(
      property(jsonValue(), constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.parse(canonicalJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("does not depend on the order of keys in any object", () => {
    const object = dictionary(string(), jsonValue());
    assert(
      property(object, (value) => {
        const reversed = `{${Object.entries(value)
          .toReversed()
          .map(([key, inner]) => `${JSON.stringify(key)}: ${JSON.stringify(inner)}`)
          .join(" , ")}}`;
        expect(canonicalJson(reversed)).toBe(canonicalJson(JSON.stringify(value)));
      }),
    );
  });
});

describe("a payload's variables", () => {
  const cases: [title: string, text: string, variables: string | null][] = [
    ["are null without a body", "", null],
    ["are null without the field", '{"variable":{}}', null],
    ["are the field's own text", '{ "a": 1, "variables" : {"b": [1.0, 1e20] } , "c": 2}', '{"b": [1.0, 1e20] }'],
    ["are the last of two fields", '{"variables":{"a":1},"variables":{"a":2}}', '{"a":2}'],
    ["are found under an escaped name", '{"\\u0076ariables":{"a":1}}', '{"a":1}'],
    ["are not those of an inner object", '{"a":{"variables":{"b":1}},"c":[{"variables":{}}]}', null],
    ["keep the order of their keys", '{"variables":{"z":1,"a":2}}', '{"z":1,"a":2}'],
  ];
  for (const [title, text, variables] of cases) {
    test(title, () => {
      expect(scanPayload(text).variables).toBe(variables);
    });
  }
});
