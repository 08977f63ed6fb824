import { gzipSync } from "node:zlib";
import { z } from "zod";

/**
 * A package, or a folder of this repository. `gzipKb` is for its text alone: the sum of all parts is a little more than
 * the whole bundle.
 */
export interface Part {
  name: string;
  rawKb: number;
  gzipKb: number;
}

const KB = 1_024;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const mapSchema = z.object({ sources: z.array(z.string()), mappings: z.string() });

/** The parts of a bundle by its source map (ECMA-426), largest first. */
export function byPart(bundle: string, sourceMap: string): Part[] {
  const { sources, mappings } = mapSchema.parse(JSON.parse(sourceMap));
  const texts = new Map<string, string[]>();
  const lines = bundle.split("\n");
  let source = 0;
  let part = "bundler";
  for (const [index, segments] of mappings.split(";").entries()) {
    const line = `${lines[index] ?? ""}\n`;
    let column = 0;
    const take = (end: number) => {
      const pieces = texts.get(part) ?? [];
      pieces.push(line.slice(column, end));
      texts.set(part, pieces);
      column = end;
    };
    for (const segment of segments.split(",")) {
      const [columns = 0, sourceStep] = numbersOf(segment);
      if (columns > 0) take(column + columns);
      source += sourceStep ?? 0;
      if (sourceStep !== undefined) part = partOf(sources[source] ?? "");
    }
    take(line.length);
  }
  return [...texts].map(([name, pieces]) => ({ name, ...sizesOf(pieces.join("")) })).sort((a, b) => b.rawKb - a.rawKb);
}

export function sizesOf(content: string | Uint8Array<ArrayBuffer>): { rawKb: number; gzipKb: number } {
  return { rawKb: Buffer.byteLength(content) / KB, gzipKb: gzipSync(content).length / KB };
}

/** `zod`, `@libsql/client`, `worker/services`. */
function partOf(source: string): string {
  const inPackage = source.split("node_modules/").at(-1) ?? "";
  const isPackage = source.includes("node_modules/");
  const names = (isPackage ? inPackage : source).split("/");
  return names.slice(0, isPackage && !inPackage.startsWith("@") ? 1 : 2).join("/");
}

/** Base64 VLQ. Reads the first two fields: the columns since the last segment and the step to another source. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if ((bits & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
