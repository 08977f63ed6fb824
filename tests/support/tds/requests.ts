import { ProtocolError } from "./packets.ts";

export type ParameterValue = string | number | bigint | boolean | null;

export interface Parameter {
  name: string;
  /** The declared type in sp_executesql: int, bigint, float, bit, nvarchar(4000), nvarchar(max). */
  type: string;
  value: ParameterValue;
}

export interface TdsRequest {
  sql: string;
  parameters: Parameter[];
  transaction: bigint;
}

const SP_EXECUTESQL = 10;
const PLP_NULL = 0xffffffffffffffffn;
const PLP_UNKNOWN = 0xfffffffffffffffen;

/** SQLBatch (MS-TDS 2.2.6.7). */
export function readBatch(body: Buffer): TdsRequest {
  const reader = new Reader(body);
  const transaction = readHeaders(reader);
  return { sql: reader.rest().toString("utf16le"), parameters: [], transaction };
}

/** An RPC (MS-TDS 2.2.6.6) of sp_executesql, the only procedure here. */
export function readRpc(body: Buffer): TdsRequest {
  const reader = new Reader(body);
  const transaction = readHeaders(reader);
  if (reader.u16() !== 0xffff || reader.u16() !== SP_EXECUTESQL) throw new ProtocolError("not a call of sp_executesql");
  if (reader.u16() !== 0) throw new ProtocolError("unknown option flags");
  const given: Parameter[] = [];
  while (!reader.done) given.push(readParameter(reader));
  const [statement, declarations, ...parameters] = given;
  if (typeof statement?.value !== "string") throw new ProtocolError("sp_executesql without a statement");
  const declared = declarations === undefined ? [] : String(declarations.value).split(", ");
  const sent = parameters.map(({ name, type }) => `${name} ${type}`);
  if (declared.join() !== sent.join())
    throw new ProtocolError(`declared as ${declared.join()}, sent as ${sent.join()}`);
  return { sql: statement.value, parameters, transaction };
}

/** ALL_HEADERS (MS-TDS 2.2.5.3): the transaction that the request is part of. */
function readHeaders(reader: Reader): bigint {
  const total = reader.u32();
  if (total !== 22 || reader.u32() !== 18 || reader.u16() !== 2) throw new ProtocolError("unknown headers");
  const descriptor = reader.u64();
  if (reader.u32() !== 1) throw new ProtocolError("more than one request at a time");
  return descriptor;
}

function readParameter(reader: Reader): Parameter {
  const name = reader.take(2 * reader.u8()).toString("utf16le");
  if (reader.u8() !== 0) throw new ProtocolError("an output parameter");
  const type = reader.u8();
  switch (type) {
    case 0x26: {
      const size = reader.u8();
      const value = reader.take(reader.u8());
      if (value.length !== 0 && value.length !== size) throw new ProtocolError("a whole number of another size");
      if (size === 4) return { name, type: "int", value: value.length === 0 ? null : value.readInt32LE() };
      if (size === 8) return { name, type: "bigint", value: value.length === 0 ? null : value.readBigInt64LE() };
      throw new ProtocolError(`a whole number of ${size} bytes`);
    }
    case 0x6d: {
      const size = reader.u8();
      const value = reader.take(reader.u8());
      if (size !== 8 || ![0, 8].includes(value.length)) throw new ProtocolError("a float of another size");
      return { name, type: "float", value: value.length === 0 ? null : value.readDoubleLE() };
    }
    case 0x68: {
      if (reader.u8() !== 1) throw new ProtocolError("a bit of another size");
      const value = reader.take(reader.u8());
      return { name, type: "bit", value: value.length === 0 ? null : value[0] === 1 };
    }
    case 0xe7:
      return readText(name, reader);
    default:
      throw new ProtocolError(`parameters of type 0x${type.toString(16)} are not known here`);
  }
}

function readText(name: string, reader: Reader): Parameter {
  const size = reader.u16();
  reader.take(5);
  if (size === 0xffff) return { name, type: "nvarchar(max)", value: readLong(reader) };
  if (size === 0 || size > 8_000 || size % 2 !== 0) throw new ProtocolError(`an nvarchar of ${size} bytes`);
  const bytes = reader.u16();
  if (bytes !== 0xffff && bytes > size) throw new ProtocolError("a text longer than its type");
  const value = bytes === 0xffff ? null : reader.take(bytes).toString("utf16le");
  return { name, type: `nvarchar(${size / 2})`, value };
}

/** A value in parts (MS-TDS 2.2.5.2.3). */
function readLong(reader: Reader): string | null {
  const total = reader.u64();
  if (total === PLP_NULL) return null;
  const parts: Buffer[] = [];
  for (let size = reader.u32(); size > 0; size = reader.u32()) parts.push(reader.take(size));
  const value = Buffer.concat(parts);
  if (total !== PLP_UNKNOWN && BigInt(value.length) !== total)
    throw new ProtocolError("a long value of another length");
  return value.toString("utf16le");
}

class Reader {
  #at = 0;
  constructor(private readonly bytes: Buffer) {}
  get done(): boolean {
    return this.#at === this.bytes.length;
  }
  take(size: number): Buffer {
    if (this.#at + size > this.bytes.length) throw new ProtocolError("a request that ends too early");
    this.#at += size;
    return this.bytes.subarray(this.#at - size, this.#at);
  }
  rest = (): Buffer => this.take(this.bytes.length - this.#at);
  u8 = (): number => this.take(1).readUInt8();
  u16 = (): number => this.take(2).readUInt16LE();
  u32 = (): number => this.take(4).readUInt32LE();
  u64 = (): bigint => this.take(8).readBigUInt64LE();
}
