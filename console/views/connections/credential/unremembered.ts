/** For fields with secrets: nothing fills them in, keeps them, or sends them to a spelling checker. */
export const UNREMEMBERED = {
  autoComplete: "off",
  autoCorrect: "off",
  autoCapitalize: "none",
  spellCheck: false,
  "data-1p-ignore": true,
  "data-bwignore": true,
  "data-lpignore": "true",
} as const;
