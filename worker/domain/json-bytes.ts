import type { JsonValue } from "../../schema/contract/json.ts";

/** The size of a value as JSON in UTF-8, as a job, a row or an answer holds it. */
export function jsonBytes(value: JsonValue | Readonly<Record<string, string>>): number {
  return utf8Bytes(JSON.stringify(value));
}

/** The size of a text in UTF-8. A lone surrogate counts as the three bytes of its replacement. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2;
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
