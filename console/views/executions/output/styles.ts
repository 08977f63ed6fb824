import type { CSSProperties } from "react";
import { blackOrWhiteOn, mix, readableOn } from "./color.ts";
import type { Rgb } from "./color.ts";
import { PLAIN } from "./terminal-style.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** The text and the background with the least contrast of an output, in each colour scheme. */
const SURFACES = {
  light: { text: [0, 0, 0], background: [241, 243, 245] },
  dark: { text: [255, 255, 255], background: [59, 59, 59] },
} as const satisfies Record<string, { text: Rgb; background: Rgb }>;
const FAINT_SHARE = 0.4;

/** A terminal style for elements. Its colours are readable in the colour scheme. */
export function cssOf(style: TerminalStyle, dark: boolean): CSSProperties | undefined {
  if (style === PLAIN) return undefined;
  const lines = [style.underlined ? "underline" : "", style.struck ? "line-through" : ""].filter((line) => line !== "");
  return {
    ...colorsOf(style, SURFACES[dark ? "dark" : "light"]),
    ...(style.bold ? { fontWeight: "bold" } : {}),
    ...(style.italic ? { fontStyle: "italic" } : {}),
    ...(lines.length > 0 ? { textDecoration: lines.join(" ") } : {}),
  };
}

function colorsOf(style: TerminalStyle, surface: { text: Rgb; background: Rgb }): CSSProperties {
  const { color, background } = style.inverse
    ? { color: style.background ?? surface.background, background: style.color ?? surface.text }
    : style;
  if (color === null && background === null && !style.faint) return {};
  const behind = background ?? surface.background;
  const wanted = color ?? blackOrWhiteOn(behind);
  const shown = readableOn(style.faint ? mix(wanted, behind, FAINT_SHARE) : wanted, behind);
  return { color: hex(shown), ...(background === null ? {} : { backgroundColor: hex(background) }) };
}

function hex(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
