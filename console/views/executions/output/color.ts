export type Rgb = readonly [red: number, green: number, blue: number];

/** The 16 colours of xterm, in the order of their codes. */
const SIXTEEN: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** More than WCAG's 4.5, because a chosen line has a slightly other background. */
const CONTRAST_MIN = 5;
const MIX_STEP = 0.05;

/** A colour of xterm's palette of 256: 16 named ones, a cube of 216, and 24 greys. */
export function paletteColor(index = -1): Rgb | null {
  if (!Number.isInteger(index) || index < 0 || index > 255) return null;
  const named = SIXTEEN[index];
  if (named !== undefined) return named;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (place: number) => {
    const step = Math.floor((index - 16) / place) % 6;
    return step === 0 ? 0 : 55 + step * 40;
  };
  return [level(36), level(6), level(1)];
}

/** The colour, or the nearest lighter or darker one that is readable on the background. */
export function readableOn(color: Rgb, background: Rgb): Rgb {
  const end = blackOrWhiteOn(background);
  for (let share = 0; share < 1; share += MIX_STEP) {
    const mixed = mix(color, end, share);
    if (contrast(mixed, background) >= CONTRAST_MIN) return mixed;
  }
  return end;
}

export function blackOrWhiteOn(background: Rgb): Rgb {
  return contrast(WHITE, background) > contrast(BLACK, background) ? WHITE : BLACK;
}

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const channel = (at: 0 | 1 | 2) => Math.round(from[at] + (to[at] - from[at]) * share);
  return [channel(0), channel(1), channel(2)];
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}
