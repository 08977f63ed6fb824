import { darken } from "@mantine/core";
import type { CSSVariablesResolver, MantineTheme } from "@mantine/core";

/**
 * Where Mantine's own colours are too faint to be read, in both schemes: text that steps back, errors, and what stands on
 * a light background of its own colour must have 4.5:1 against it (WCAG 1.4.3).
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

/** Under the pointer Mantine makes a filled button lighter, and white text on it too faint. */
function hoveredOf(colors: MantineTheme["colors"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(colors).map(([name, shades]) => [`--mantine-color-${name}-filled-hover`, darken(shades[9], 0.15)]),
  );
}
