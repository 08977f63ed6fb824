/** For fields with secrets: turns off autofill, password managers and spell checkers. */
export const UNREMEMBERED = {
  autoComplete: "off",
  autoCorrect: "off",
  autoCapitalize: "none",
  spellCheck: false,
  "data-1p-ignore": true,
  "data-bwignore": true,
  "data-lpignore": "true",
} as const;
