import type { MantineColor } from "@mantine/core";

/** A colour for text on the page's background, readable in both schemes. */
export function ink(color: MantineColor): string {
  return `light-dark(var(--mantine-color-${color}-light-color), var(--mantine-color-${color}-4))`;
}
