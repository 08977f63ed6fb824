import { describe, expect, test } from "bun:test";
import { assert, constantFrom, dictionary, jsonValue, property, string } from "fast-check";
import { scanPayload } from "../../worker/domain/payload-hash.ts";

const SAME: [title: string, one: string, other: string][] = [
  ["the order of keys does not count", '{"a":1,"b":2}', '{"b":2,"a":1}'],
  [
    "the order of keys does not count at any depth",
    '{"x":{"a":[{"c":1,"d":2}],"b":2}}',
    '{"x":{"b":2,"a":[{"d":2,"c":1}]}}',
  ],
  ["white space does not count", '{"a":[1,2],"b":{}}', ' {\n\t"a" : [ 1 ,\r\n 2 ] , "b" : { } } '],
  ["no body equals an empty object", "", "{}"],
  ["a blank body equals an empty object", " \n\t\r", "{ }"],
  ["an escape is the character it stands for", '{"name":"caf\\u00e9\\/\\u0041"}', '{"name":"café/A"}'],
  ["an escaped key is the key it stands for", '{"\\u0061":1}', '{"a":1}'],
  ["the case of an escape's digits does not count", '"\\u00E9"', '"\\u00e9"'],
  ["two escapes may make one character", '"\\ud83d\\ude00"', '"😀"'],
  ["escapes of control characters have one spelling", '"\\u000a\\u0008"', '"\\n\\b"'],
  ["of a key that stands twice the last counts", '{"a":1,"a":2}', '{"a":2}'],
  ["a key that stands twice, once escaped, is one key", '{"a":1,"\\u0061":2}', '{"a":2}'],
];

const DIFFERENT: [title: string, one: string, other: string][] = [
  ["values differ", '{"a":1}', '{"a":2}'],
  ["the order of items counts", "[1,2]", "[2,1]"],
  ["numbers count by their source text", '{"a":1}', '{"a":1.0}'],
  ["an exponent is another text", "100", "1e2"],
  ["minus zero is another text", "0", "-0"],
  ["big integers are not rounded together", "12345678901234567890", "12345678901234567891"],
  ["a number is not a string", '{"a":1}', '{"a":"1"}'],
  ["null is not a missing key", '{"a":null}', "{}"],
  ["true is not the string true", "true", '"true"'],
  ["composed and decomposed letters are different strings", '"\u00e9"', '"e\u0301"'],
  ["a lone surrogate is not the replacement character", '"\\ud800"', '"\ufffd"'],
  ["a quote inside a string ends nothing", '{"a":"\\"b","c":"d"}', '{"a":"b","c":"d"}'],
  ["structure inside a string is text", '{"a":"{\\"b\\":1}"}', '{"a":{"b":1}}'],
  ["an empty object is not an empty list", "{}", "[]"],
  ["variables that are empty are not no variables", '{"variables":{}}', "{}"],
  ["a backslash before the closing quote belongs to the string", '["a\\\\","b"]', '["a\\\\,b"]'],
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

  test("is JSON of the same value, for whatever JSON.stringify writes", () => {
    assert(
      property(jsonValue(), constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.parse(canonicalJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("does not depend on how the keys of any object are shuffled", () => {
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
    ["are none without a body", "", null],
    ["are none without the field", '{"variable":{}}', null],
    ["are the field's own text", '{ "a": 1, "variables" : {"b": [1.0, 1e20] } , "c": 2}', '{"b": [1.0, 1e20] }'],
    ["are the last ones of two", '{"variables":{"a":1},"variables":{"a":2}}', '{"a":2}'],
    ["are found under an escaped name", '{"\\u0076ariables":{"a":1}}', '{"a":1}'],
    ["are not those of an inner object", '{"a":{"variables":{"b":1}},"c":[{"variables":{}}]}', null],
    ["keep their keys in the order in which they came", '{"variables":{"z":1,"a":2}}', '{"z":1,"a":2}'],
  ];
  for (const [title, text, variables] of cases) {
    test(title, () => {
      expect(scanPayload(text).variables).toBe(variables);
    });
  }
});
