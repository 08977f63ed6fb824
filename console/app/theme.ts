import { CloseButton, createTheme, localStorageColorSchemeManager } from "@mantine/core";
import { common } from "../strings/en/common.ts";
import { controls } from "../strings/en/shell.ts";

/** Names the close button of dialogs and toasts. Inline, `aria-label` would not compile against Mantine's type. */
const NAMED = { variant: "subtle", "aria-label": common.close } as const;

/** Mantine's default theme with another primary colour. The colours of statuses are in ui/status.tsx. */
export const theme = createTheme({
  primaryColor: "cyan",
  // Dark enough to carry white text and to be readable on white (css-variables.ts has the other cases).
  primaryShade: 9,
  defaultRadius: "sm",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Consolas, monospace",
  headings: { fontWeight: "600" },
  cursorType: "pointer",
  respectReducedMotion: true,
  // Text on a filled control must be readable on every colour (WCAG 1.4.3).
  autoContrast: true,
  components: {
    CloseButton: CloseButton.extend({ defaultProps: NAMED }),
    // Not `PasswordInput.extend`: pages without such a field need not load it.
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { "aria-label": controls.showTyped } } },
  },
});

/** The same key as public/color-scheme.js, which sets it before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: "bellhop-color-scheme" });
