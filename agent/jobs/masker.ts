import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { MASK_MIN_CHARS } from "../../schema/contract/masking.ts";

const MASK = "***";
const PREFIX_CHARS = 4;
const MAX_DEPTH = 100;

/**
 * Replaces everything that must not leave this machine by `***` (ARCHITECTURE.md#invariants). One pass, whatever the number
 * of secrets: texts are looked up by their first four characters.
 */
export class Masker {
  #byPrefix = new Map<number, string[]>();

  /** `forms` as mask-forms.ts makes them; those shorter than MASK_MIN_CHARS are left out. */
  setForms(forms: Iterable<string>): void {
    const byPrefix = new Map<number, string[]>();
    for (const form of new Set(forms)) {
      if (form.length < MASK_MIN_CHARS) continue;
      const prefix = prefixAt(form, 0);
      const bucket = byPrefix.get(prefix);
      if (bucket === undefined) byPrefix.set(prefix, [form]);
      else bucket.push(form);
    }
    // The longest first: the first hit at a place is then the whole of it.
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
      // What overlaps an earlier hit extends it: two secrets that share characters must not leave the rest of one.
      if (at > hitEnd || hitEnd === 0) masked += text.slice(copiedTo, at) + MASK;
      hitEnd = end;
      copiedTo = end;
    }
    return masked + text.slice(copiedTo);
  };

  /**
   * An action's output: every text, number and nested name. The names of the object itself are the contract's and
   * stay. Where it says `truncated`, its texts may end in the middle of a secret, and that beginning goes, too.
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

/** A hash of four characters; equal for equal characters, and that is all it has to be. */
function prefixAt(text: string, at: number): number {
  const low = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const high = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16);
  return low ^ Math.imul(high, 0x9e3779b1);
}
