/** The server's tokens (MS-TDS 2.2.7), as bytes. */
export interface ColumnType {
  /** TYPE_INFO. */
  info: Buffer;
  encode(value: unknown): Buffer;
}

export interface Column {
  name: string;
  type: ColumnType;
}

const COLLATION = Buffer.from([0x09, 0x04, 0xd0, 0x00, 0x34]);
const DONE_FLAGS = { more: 0x01, error: 0x02, count: 0x10, attention: 0x20 } as const;

export const TYPES = {
  int: sized([0x26, 4], (value) => int(4, value)),
  bigint: sized([0x26, 8], (value) => int(8, value)),
  bit: sized([0x68, 1], (value) => Buffer.from([value === true ? 1 : 0])),
  float: sized([0x6d, 8], (value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(Number(value));
    return bytes;
  }),
  /** Ten-thousandths, the upper half first. */
  money: sized([0x6e, 8], (value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeInt32LE(Number(BigInt(String(value)) >> 32n), 0);
    bytes.writeUInt32LE(Number(BigInt(String(value)) & 0xffffffffn), 4);
    return bytes;
  }),
  smallmoney: sized([0x6e, 4], (value) => int(4, value)),
  /** Its digits as one whole number. */
  decimal: (precision: number, scale: number) =>
    sized([0x6a, 17, precision, scale], (value) => {
      const units = BigInt(String(value));
      const bytes = Buffer.alloc(17);
      bytes.writeUInt8(units < 0n ? 0 : 1, 0);
      const digits = units < 0n ? -units : units;
      for (let at = 0; at < 16; at += 1) bytes.writeUInt8(Number((digits >> BigInt(8 * at)) & 0xffn), at + 1);
      return bytes;
    }),
  /** Days since 1900 and 300ths of a second. */
  datetime: sized([0x6f, 8], (value) => Buffer.concat(parts(value).map((part) => int(4, part)))),
  date: sized([0x28], (value) => int(3, value)),
  /** Units of 100 ns since midnight, and days since the year 1. */
  datetime2: sized([0x2a, 7], (value) => Buffer.concat(parts(value).map((part, at) => int(at === 0 ? 5 : 3, part)))),
  time: sized([0x29, 7], (value) => int(5, value)),
  datetimeoffset: sized([0x2b, 7], (value) =>
    Buffer.concat(parts(value).map((part, at) => int([5, 3, 2][at] ?? 0, part))),
  ),
  uniqueidentifier: sized([0x24, 16], (value) => Buffer.from(String(value), "hex")),
  nvarchar: {
    info: Buffer.concat([Buffer.from([0xe7]), short(8_000), COLLATION]),
    encode: (value) => {
      if (value === null) return short(0xffff);
      const bytes = Buffer.from(String(value), "utf16le");
      return Buffer.concat([short(bytes.length), bytes]);
    },
  },
  varbinary: {
    info: Buffer.concat([Buffer.from([0xa5]), short(8_000)]),
    encode: (value) => (value === null ? short(0xffff) : Buffer.concat([short(bytesOf(value).length), bytesOf(value)])),
  },
  nvarcharMax: {
    info: Buffer.concat([Buffer.from([0xe7]), short(0xffff), COLLATION]),
    encode: (value) => (value === null ? Buffer.alloc(8, 0xff) : long(Buffer.from(String(value), "utf16le"))),
  },
} as const satisfies Record<string, ColumnType | ((precision: number, scale: number) => ColumnType)>;

export function columnsToken(columns: readonly Column[]): Buffer {
  const described = columns.map(({ name, type }) =>
    Buffer.concat([Buffer.alloc(4), short(0x09), type.info, text8(name)]),
  );
  return Buffer.concat([Buffer.from([0x81]), short(columns.length), ...described]);
}

export function rowToken(columns: readonly Column[], values: readonly unknown[]): Buffer {
  return Buffer.concat([Buffer.from([0xd1]), ...columns.map(({ type }, index) => type.encode(values[index]))]);
}

export function errorToken(number: number, message: string, severity = 16, line = 1): Buffer {
  const body = Buffer.concat([
    int(4, number),
    Buffer.from([1, severity]),
    short(message.length),
    Buffer.from(message, "utf16le"),
    text8("FAKE"),
    text8(""),
    int(4, line),
  ]);
  return Buffer.concat([Buffer.from([0xaa]), short(body.length), body]);
}

/** `kind`: DONE after a batch, DONEPROC after a procedure, DONEINPROC after a statement in one. */
export function doneToken(
  kind: "done" | "proc" | "inProc",
  end: { count?: number; error?: boolean; attention?: boolean; more?: boolean } = {},
): Buffer {
  const flags =
    (end.count === undefined ? 0 : DONE_FLAGS.count) |
    (end.error === true ? DONE_FLAGS.error : 0) |
    (end.attention === true ? DONE_FLAGS.attention : 0) |
    (end.more === true ? DONE_FLAGS.more : 0);
  const token = { done: 0xfd, proc: 0xfe, inProc: 0xff }[kind];
  return Buffer.concat([Buffer.from([token]), short(flags), short(0xc1), int(8, end.count ?? 0)]);
}

export function returnStatusToken(value: number): Buffer {
  return Buffer.concat([Buffer.from([0x79]), int(4, value)]);
}

export function loginAckToken(): Buffer {
  const version = Buffer.from([0x74, 0, 0, 4]);
  const body = Buffer.concat([Buffer.from([1]), version, text8("Microsoft SQL Server"), Buffer.from([16, 0, 3, 0xe8])]);
  return Buffer.concat([Buffer.from([0xad]), short(body.length), body]);
}

/** 1 database, 4 packet size, 7 collation, 8 a transaction begun. */
export function changeToken(type: 1 | 4 | 7 | 8, now: string | Buffer): Buffer {
  const value = typeof now === "string" ? text8(now) : Buffer.concat([Buffer.from([now.length]), now]);
  const body = Buffer.concat([Buffer.from([type]), value, Buffer.from([0])]);
  return Buffer.concat([Buffer.from([0xe3]), short(body.length), body]);
}

/** MS-TDS 2.2.7.9, type 20: the client must log in at this server instead. Protocol 0 is TCP. */
export function routingToken({ host, port }: { host: string; port: number }): Buffer {
  const name = Buffer.concat([short(host.length), Buffer.from(host, "utf16le")]);
  const route = Buffer.concat([Buffer.from([0]), short(port), name]);
  const body = Buffer.concat([Buffer.from([20]), short(route.length), route, short(0)]);
  return Buffer.concat([Buffer.from([0xe3]), short(body.length), body]);
}

export function collationToken(): Buffer {
  return changeToken(7, COLLATION);
}

function sized(info: readonly number[], encode: (value: unknown) => Buffer): ColumnType {
  return {
    info: Buffer.from(info),
    encode: (value) => {
      const bytes = value === null ? Buffer.alloc(0) : encode(value);
      return Buffer.concat([Buffer.from([bytes.length]), bytes]);
    },
  };
}

/** Unknown total length, one part, the end. */
function long(bytes: Buffer): Buffer {
  const unknown = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  return Buffer.concat([unknown, ...(bytes.length === 0 ? [] : [int(4, bytes.length), bytes]), int(4, 0)]);
}

function int(size: number, value: unknown): Buffer {
  const bytes = Buffer.alloc(size);
  const units = BigInt.asUintN(size * 8, BigInt(String(value)));
  for (let at = 0; at < size; at += 1) bytes.writeUInt8(Number((units >> BigInt(8 * at)) & 0xffn), at);
  return bytes;
}

function short(value: number): Buffer {
  return int(2, value);
}

function text8(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "utf16le")]);
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(String(value), "hex");
}

function parts(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
