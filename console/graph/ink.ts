import type { MantineColor } from "@mantine/core";

/** A colour for words on the page's ground, to be read in both schemes. */
export function ink(color: MantineColor): string {
  return `light-dark(var(--mantine-color-${color}-light-color), var(--mantine-color-${color}-4))`;
}
