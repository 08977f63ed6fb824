import { CloseButton, createTheme, localStorageColorSchemeManager } from "@mantine/core";

/** Of dialogs and of what is told in the corner: a cross alone has no name. Mantine's type knows its own properties only. */
const NAMED = { variant: "subtle", "aria-label": "Close" } as const;

/** How the console looks: Mantine's own scales, with one colour of ours. Statuses have theirs in ui/status.tsx. */
export const theme = createTheme({
  primaryColor: "cyan",
  // Dark enough for white text on it, and to be read on white (css-variables.ts has the rest).
  primaryShade: 9,
  defaultRadius: "sm",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Consolas, monospace",
  headings: { fontWeight: "600" },
  cursorType: "pointer",
  respectReducedMotion: true,
  // Text on a filled control must be readable whatever its colour (WCAG 1.4.3).
  autoContrast: true,
  components: { CloseButton: CloseButton.extend({ defaultProps: NAMED }) },
});

/** The same key as public/color-scheme.js, which sets it before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: "bellhop-color-scheme" });
