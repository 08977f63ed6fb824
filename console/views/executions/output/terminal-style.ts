import { paletteColor } from "./color.ts";
import type { Rgb } from "./color.ts";

export interface TerminalStyle {
  color: Rgb | null;
  background: Rgb | null;
  bold: boolean;
  faint: boolean;
  italic: boolean;
  underlined: boolean;
  struck: boolean;
  inverse: boolean;
}

export const PLAIN: TerminalStyle = {
  color: null,
  background: null,
  bold: false,
  faint: false,
  italic: false,
  underlined: false,
  struck: false,
  inverse: false,
};

/** What each code changes. Concealed text (8) stays visible. */
const CHANGES: Readonly<Record<number, Partial<TerminalStyle>>> = {
  1: { bold: true },
  2: { faint: true },
  3: { italic: true },
  4: { underlined: true },
  7: { inverse: true },
  9: { struck: true },
  21: { underlined: true },
  22: { bold: false, faint: false },
  23: { italic: false },
  24: { underlined: false },
  27: { inverse: false },
  29: { struck: false },
  39: { color: null },
  49: { background: null },
};

/** The style after a sequence with these parameters (`1;38;5;208`). PLAIN itself when no style is left. */
export function styleAfter(before: TerminalStyle, parameters: string): TerminalStyle {
  if (!/^[\d;:]*$/u.test(parameters)) return before;
  let style = before;
  const codes = parameters.split(";");
  for (let at = 0; at < codes.length; at += 1) {
    const [code = 0, ...sub] = (codes[at] ?? "").split(":").map(Number);
    if (code === 0) style = PLAIN;
    else if (code === 38 || code === 48) {
      const rest = codes.slice(at + 1).map(Number);
      const { color, used } = sub.length > 0 ? { color: ofColons(sub), used: 0 } : ofSemicolons(rest);
      if (color !== null) style = { ...style, [code === 38 ? "color" : "background"]: color };
      at += used;
    } else if (code === 4 && sub[0] === 0) style = { ...style, underlined: false };
    else style = { ...style, ...(CHANGES[code] ?? ofSixteen(code)) };
  }
  return Object.values(style).some((value) => value !== null && value !== false) ? style : PLAIN;
}

function ofSixteen(code: number): Partial<TerminalStyle> {
  const range = [30, 40, 90, 100].find((start) => code >= start && code < start + 8);
  if (range === undefined) return {};
  const color = paletteColor(code - range + (range >= 90 ? 8 : 0));
  return range === 30 || range === 90 ? { color } : { background: color };
}

/** `5;208` or `2;255;135;0`. */
function ofSemicolons([kind, ...values]: readonly number[]): { color: Rgb | null; used: number } {
  if (kind === 5) return { color: paletteColor(values[0]), used: 2 };
  return kind === 2 ? { color: rgb(values), used: 4 } : { color: null, used: 0 };
}

/** `5:208`, `2:255:135:0`, or `2::255:135:0` with an empty colour space. */
function ofColons([kind, ...values]: readonly number[]): Rgb | null {
  if (kind === 5) return paletteColor(values[0]);
  return kind === 2 ? rgb(values.length > 3 ? values.slice(1) : values) : null;
}

function rgb([red, green, blue]: readonly number[]): Rgb | null {
  if (red === undefined || green === undefined || blue === undefined) return null;
  return Math.max(red, green, blue) > 255 ? null : [red, green, blue];
}
