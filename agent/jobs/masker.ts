import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { MASK_MIN_CHARS } from "../../schema/contract/masking.ts";

const MASK = "***";
const PREFIX_CHARS = 4;
const MAX_DEPTH = 100;

/**
 * Replaces all secrets by `***` (ARCHITECTURE.md#invariants), in one pass for any number of secrets: it looks forms up
 * by their first four characters.
 */
export class Masker {
  #byPrefix = new Map<number, string[]>();

  /** `forms` comes from mask-forms.ts. Forms shorter than MASK_MIN_CHARS are left out. */
  setForms(forms: Iterable<string>): void {
    const byPrefix = new Map<number, string[]>();
    for (const form of new Set(forms)) {
      if (form.length < MASK_MIN_CHARS) continue;
      const prefix = prefixAt(form, 0);
      const bucket = byPrefix.get(prefix);
      if (bucket === undefined) byPrefix.set(prefix, [form]);
      else bucket.push(form);
    }
    // Longest first, so that the first match at a place is the longest.
    for (const bucket of byPrefix.values()) bucket.sort((a, b) => b.length - a.length);
    this.#byPrefix = byPrefix;
  }

  readonly text = (text: string): string => {
    if (this.#byPrefix.size === 0) return text;
    let masked = "";
    let copiedTo = 0;
    let hitEnd = 0;
    for (let at = 0; at + PREFIX_CHARS <= text.length; at++) {
      const end = this.#hitEndAt(text, at);
      if (end <= hitEnd) continue;
      // A match that overlaps the one before extends it. Otherwise two secrets that share characters would leave a part
      // of one.
      if (at > hitEnd || hitEnd === 0) masked += text.slice(copiedTo, at) + MASK;
      hitEnd = end;
      copiedTo = end;
    }
    return masked + text.slice(copiedTo);
  };

  /**
   * Masks the output of an action: every text, number and nested name. The names of the object itself belong to the
   * contract and stay. With `truncated`, a text may end within a secret; that beginning is masked, too.
   */
  output(output: JsonObject): JsonObject {
    const isCut = output["truncated"] === true;
    const masked: [string, JsonValue][] = Object.entries(output).map(([name, value]) => [
      name,
      isCut && typeof value === "string" ? this.#cutText(value) : this.#value(value, 1),
    ]);
    return Object.fromEntries(masked);
  }

  #cutText(text: string): string {
    const masked = this.text(text);
    const from = Math.max(0, masked.length - this.#longestForm());
    for (let at = from; at + PREFIX_CHARS <= masked.length; at++) {
      const bucket = this.#byPrefix.get(prefixAt(masked, at));
      if (bucket === undefined) continue;
      const tail = masked.slice(at);
      if (bucket.some((form) => form.startsWith(tail))) return masked.slice(0, at) + MASK;
    }
    return masked;
  }

  #value(value: JsonValue, depth: number): JsonValue {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") {
      const text = String(value);
      const masked = this.text(text);
      return masked === text ? value : masked;
    }
    if (value === null || typeof value === "boolean") return value;
    if (depth >= MAX_DEPTH) return "(nested too deep)";
    if (Array.isArray(value)) return value.map((item) => this.#value(item, depth + 1));
    const entries: [string, JsonValue][] = Object.entries(value).map(([name, item]) => [
      this.text(name),
      this.#value(item, depth + 1),
    ]);
    return Object.fromEntries(entries);
  }

  #hitEndAt(text: string, at: number): number {
    const bucket = this.#byPrefix.get(prefixAt(text, at));
    const hit = bucket?.find((form) => text.startsWith(form, at));
    return hit === undefined ? 0 : at + hit.length;
  }

  #longestForm(): number {
    let longest = 0;
    for (const bucket of this.#byPrefix.values()) longest = Math.max(longest, bucket[0]?.length ?? 0);
    return longest;
  }
}

/** A hash of four characters. It only has to be equal for equal characters. */
function prefixAt(text: string, at: number): number {
  const low = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const high = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16);
  return low ^ Math.imul(high, 0x9e3779b1);
}
