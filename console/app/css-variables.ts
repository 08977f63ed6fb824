import { darken } from "@mantine/core";
import type { CSSVariablesResolver, MantineTheme } from "@mantine/core";

/**
 * Replaces Mantine's colours where they have too little contrast. In both schemes dimmed text, errors, and text on a
 * light background of the same colour need 4.5:1 (WCAG 1.4.3).
 */
export const cssVariablesResolver: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "var(--mantine-color-gray-7)",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    ...hoveredOf(colors),
    ...Object.fromEntries(
      Object.entries(colors).map(([name, shades]) => [`--mantine-color-${name}-light-color`, darken(shades[9], 0.4)]),
    ),
  },
  dark: {
    "--mantine-color-dimmed": "var(--mantine-color-dark-1)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    ...hoveredOf(colors),
    ...Object.fromEntries(
      Object.keys(colors).map((name) => [`--mantine-color-${name}-outline`, `var(--mantine-color-${name}-3)`]),
    ),
  },
});

/** On hover Mantine makes a filled button so light that its white text has too little contrast. */
function hoveredOf(colors: MantineTheme["colors"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(colors).map(([name, shades]) => [`--mantine-color-${name}-filled-hover`, darken(shades[9], 0.15)]),
  );
}
