import valueParser from "tedious/lib/value-parser.js";
import { Result } from "tedious/lib/token/helpers.js";

type ReadValue = typeof valueParser.readValue;

const MONEY_SCALE = 4;
let exact = false;

/**
 * tedious returns decimal, numeric and money as floating-point numbers, and has no option against that. It reads rows
 * through one exported function, which it looks up at each call. For these types a replacement returns the digits as
 * text (MS-TDS 2.2.5.5.1.6 and 2.2.5.5.1.2). A test reads a decimal of 38 digits, to notice a version of tedious with
 * another structure.
 */
export function readNumbersExactly(): void {
  if (exact) return;
  exact = true;
  const original = valueParser.readValue;
  const readValue: ReadValue = (buffer, offset, metadata, options) => {
    switch (metadata.type.name) {
      case "DecimalN":
      case "NumericN":
        return (
          readSized(buffer, offset, (bytes) => decimal(bytes, metadata.scale ?? 0)) ??
          original(buffer, offset, metadata, options)
        );
      case "MoneyN":
        return readSized(buffer, offset, money) ?? original(buffer, offset, metadata, options);
      case "Money":
        return readFixed(buffer, offset, 8) ?? original(buffer, offset, metadata, options);
      case "SmallMoney":
        return readFixed(buffer, offset, 4) ?? original(buffer, offset, metadata, options);
      default:
        return original(buffer, offset, metadata, options);
    }
  };
  Object.assign(valueParser, { readValue });
}

/** Null for NULL, and when the value has not arrived completely. Then the original function decides. */
function readSized(buffer: Buffer, offset: number, read: (bytes: Buffer) => string): Result<unknown> | null {
  const size = buffer[offset] ?? 0;
  const end = offset + 1 + size;
  if (size === 0 || buffer.length < end) return null;
  return new Result(read(buffer.subarray(offset + 1, end)), end);
}

function readFixed(buffer: Buffer, offset: number, size: number): Result<unknown> | null {
  if (buffer.length < offset + size) return null;
  return new Result(money(buffer.subarray(offset, offset + size)), offset + size);
}

/** A sign (1 is positive), then the digits as one whole number, least significant byte first. */
function decimal(bytes: Buffer, scale: number): string {
  const digits = [...bytes.subarray(1)].reduceRight((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
  return scaled(bytes[0] === 1 ? digits : -digits, scale);
}

/** Ten-thousandths. In eight bytes the upper four come first. */
function money(bytes: Buffer): string {
  const units =
    bytes.length === 4
      ? BigInt(bytes.readInt32LE(0))
      : (BigInt(bytes.readInt32LE(0)) << 32n) + BigInt(bytes.readUInt32LE(4));
  return scaled(units, MONEY_SCALE);
}

function scaled(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${scale === 0 ? "" : `.${digits.slice(point)}`}`;
}
