import { Lexer, LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { Document, ParsedNode, Scalar, YAMLMap, YAMLSeq } from "yaml";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { WORKFLOW_FILE_MAX_DEPTH } from "../../../schema/contract/workflow-file.ts";
import { MANAGEMENT_BODY_MAX_VALUES } from "../../../schema/limits.ts";
import { shorten } from "../shown-errors.ts";

export interface Position {
  /** Both counted from 1. */
  readonly line: number;
  readonly column: number;
}

/** A file's value with the positions of its parts, or everything that is wrong with the file as YAML. */
export type YamlFile =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** The position of a path such as `definition.nodes.2.id`; for a missing part, where it should be. */
      readonly locate: (path: string) => Position;
    }
  | { readonly ok: false; readonly errors: readonly (FieldError & Position)[] };

const SHOWN_PROBLEMS = 20;
const SHOWN_CHARS = 200;
const SHOWN_SOURCE_CHARS = 60;
/** The parser recurses as deep as the file nests, and takes seconds to fail. */
const MAX_FLOW_DEPTH = 200;
const CORE_TAGS = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);

/**
 * Reads one document of YAML 1.2, core schema, as JSON: no other tags, keys are unique texts, aliases count as their
 * copies. JSON is read in the same way.
 */
export function readYaml(text: string): YamlFile {
  if (flowIsDeeperThan(text, MAX_FLOW_DEPTH))
    return { ok: false, errors: [{ path: "", message: tooDeep(), line: 1, column: 1 }] };
  const lines = new LineCounter();
  const document = parseDocument<ParsedNode>(text, {
    schema: "core",
    version: "1.2",
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The parser compares every key with every other; the reader below uses a set.
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: "error",
  });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (document.errors.length > 0) {
    const errors = document.errors
      .slice(0, SHOWN_PROBLEMS)
      .map(({ message, pos }) => ({ path: "", message: shorten(parserProblem(message), SHOWN_CHARS), ...at(pos[0]) }));
    return { ok: false, errors };
  }
  const reader = new Reader(at);
  const value = reader.read(document);
  if (reader.errors.length > 0) return { ok: false, errors: reader.errors };
  return { ok: true, value, locate: (path) => reader.locate(path) };
}

/** Brackets in texts, comments and block literals open nothing: the lexer recognises those, and does not recurse. */
function flowIsDeeperThan(text: string, max: number): boolean {
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > max) return true;
  }
  return false;
}

function parserProblem(message: string): string {
  // At the end of the stack, the parser or one of its regular expressions may throw this error.
  if (/call stack|stack overflow/iu.test(message)) return tooDeep();
  if (/multiple documents/iu.test(message)) return "begins a second document: keep one workflow in a file";
  return `is not YAML: ${message}`;
}

function tooDeep(): string {
  return `nests deeper than ${WORKFLOW_FILE_MAX_DEPTH} levels: flatten it`;
}

class Reader {
  readonly errors: (FieldError & Position)[] = [];
  readonly #at: (offset: number) => Position;
  readonly #offsets = new Map<string, number>();
  /** The current target of each alias, known from the end of its anchor's value on. */
  readonly #anchors = new Map<string, ParsedNode>();
  /** Above 0 while an alias is read: the parts of its copy have no positions. */
  #inAlias = 0;
  #values = 0;

  constructor(at: (offset: number) => Position) {
    this.#at = at;
  }

  read({ contents }: Document<ParsedNode, boolean>): JsonValue {
    if (contents === null) return this.#fail("", 0, "is empty: send a workflow");
    return this.#value(contents, "", 1);
  }

  locate(path: string): Position {
    for (let known = path; known !== ""; known = known.slice(0, Math.max(known.lastIndexOf("."), 0))) {
      const offset = this.#offsets.get(known);
      if (offset !== undefined) return this.#at(offset);
    }
    return this.#at(0);
  }

  #value(node: ParsedNode, path: string, depth: number): JsonValue {
    this.#values += 1;
    const offset = node.range[0];
    if (this.#values > MANAGEMENT_BODY_MAX_VALUES) {
      const message = `has more than ${MANAGEMENT_BODY_MAX_VALUES} values, including the copies that aliases make: split it`;
      return this.#fail(path, offset, message);
    }
    if (depth > WORKFLOW_FILE_MAX_DEPTH + 1) return this.#fail(path, offset, tooDeep());
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) {
        const name = shorten(node.source, SHOWN_SOURCE_CHARS);
        return this.#fail(path, offset, `*${name} has no anchor &${name} before it`);
      }
      this.#inAlias += 1;
      const copy = this.#value(target, path, depth);
      this.#inAlias -= 1;
      return copy;
    }
    if (node.tag !== undefined && !CORE_TAGS.has(node.tag)) {
      return this.#fail(
        path,
        offset,
        `has the tag ${shorten(node.tag, SHOWN_SOURCE_CHARS)}: tags are not supported, write plain YAML`,
      );
    }
    const value = isMap(node)
      ? this.#map(node, path, depth)
      : isSeq(node)
        ? this.#list(node, path, depth)
        : this.#scalar(node, path);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return value;
  }

  #map(node: YAMLMap.Parsed, path: string, depth: number): JsonValue {
    const entries = new Map<string, JsonValue>();
    for (const { key, value } of node.items) {
      if (this.#tooMany) break;
      const offset = key.range[0];
      const name = isScalar(key) ? key.value : null;
      const place = typeof name === "string" ? below(path, name) : path;
      if (typeof name !== "string") this.#fail(path, offset, "has a key that is not text");
      else if (name === "__proto__") this.#fail(place, offset, "is not accepted as a key: rename it");
      else if (entries.has(name)) this.#fail(place, offset, "is here twice: remove one of them");
      else {
        this.#note(place, offset);
        entries.set(name, value === null ? null : this.#value(value, place, depth + 1));
      }
    }
    return Object.fromEntries(entries);
  }

  #list(node: YAMLSeq.Parsed, path: string, depth: number): JsonValue {
    const members: JsonValue[] = [];
    for (const [index, member] of node.items.entries()) {
      if (this.#tooMany) break;
      const place = below(path, String(index));
      this.#note(place, member.range[0]);
      members.push(this.#value(member, place, depth + 1));
    }
    return members;
  }

  #scalar(node: Scalar.Parsed, path: string): JsonValue {
    const { value } = node;
    const source = shorten(node.source, SHOWN_SOURCE_CHARS);
    const offset = node.range[0];
    if (typeof value === "number") {
      if (!Number.isFinite(value))
        return this.#fail(path, offset, `${source} is a number that JSON does not have: put it in quotes`);
      if (losesDigits(value, node.source)) {
        return this.#fail(
          path,
          offset,
          `${source} is a number that would lose digits, and become ${value}: put it in quotes`,
        );
      }
      return value;
    }
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    return this.#fail(path, offset, `${source} is a value that JSON does not have: put it in quotes`);
  }

  #note(path: string, offset: number): void {
    if (this.#inAlias === 0) this.#offsets.set(path, offset);
  }

  get #tooMany(): boolean {
    return this.errors.length >= SHOWN_PROBLEMS || this.#values > MANAGEMENT_BODY_MAX_VALUES;
  }

  #fail(path: string, offset: number, message: string): null {
    if (this.errors.length < SHOWN_PROBLEMS) {
      this.errors.push({
        path: shorten(path, SHOWN_CHARS),
        message: shorten(message, SHOWN_CHARS),
        ...this.#at(offset),
      });
    }
    return null;
  }
}

/** An id of 20 digits written as a number would silently become another number. */
function losesDigits(value: number, source: string): boolean {
  if (!/^[-+]?\d+$/u.test(source) || Number.isSafeInteger(value)) return false;
  const digits = source.replace(/^\+/u, "");
  return digits !== String(value) && BigInt(digits) !== BigInt(value);
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
