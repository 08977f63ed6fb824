import { ID_PREFIXES, idSchema } from "../../schema/contract/ids.ts";
import type { IdKind } from "../../schema/contract/ids.ts";

/** `<kind>_<uuidv7>` (RFC 9562, 5.7): 48 bits of time, then random. */
export function newId(kind: IdKind, nowMs: number): string {
  // Version 4 has its random bits in the same places, and randomUUID takes a tenth of the time of getRandomValues.
  return `${ID_PREFIXES[kind]}_${timeOf(nowMs)}-7${crypto.randomUUID().slice(15)}`;
}

/** The same id from 16 given bytes. */
export function idOf(kind: IdKind, random: Uint8Array, nowMs: number): string {
  const bytes = Uint8Array.from(random);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(nowMs / 2 ** 32));
  view.setUint32(2, nowMs >>> 0);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return `${ID_PREFIXES[kind]}_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The lowest id of a kind that could be minted at this time. */
export function lowestIdAt(kind: IdKind, nowMs: number): string {
  return idOf(kind, new Uint8Array(16), Math.max(0, nowMs));
}

/** When an id was minted (epoch ms); null for anything that is not an id of this kind. */
export function mintedAt(kind: IdKind, id: string): number | null {
  if (!idSchema(kind).safeParse(id).success) return null;
  const hex = id.slice(ID_PREFIXES[kind].length + 1).replaceAll("-", "");
  return Number.parseInt(hex.slice(0, 12), 16);
}

/** A bound for queries: below every id of this kind minted at or after `nowMs`, and above every earlier one. */
export function firstIdAt(kind: IdKind, nowMs: number): string {
  return `${ID_PREFIXES[kind]}_${timeOf(nowMs)}-7000-8000-000000000000`;
}

/** The first two groups of a UUIDv7. */
function timeOf(nowMs: number): string {
  const hex = Math.max(0, Math.floor(nowMs)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
