/**
 * Templates: `{{path.to.value | filter}}`; own properties only, case-sensitive; a path that does not resolve is empty
 * (docs/design/templates.md#paths). A literal `{{` is written `{{"{{"}}`.
 *
 * In data a value stays a value (`renderData`). Code takes values by name, beside its text (render-named-values.ts), or in
 * place, where every value is a plain word (`renderCode`). Bellhop never lets a value leave the word it stands in. Where a
 * language reads that word as a name, a command, an address or an option, it may be one: pin numbers with `| int` and
 * choices with `| oneOf`. These rules know characters, quotes and lines, and no programs.
 */
export { loneTemplate, parseTemplate } from "./parse.ts";
export { ownValue } from "../own-value.ts";
export { renderData } from "../render-data.ts";
export { checkCode } from "./check-code.ts";
export { renderCode } from "../render-code.ts";
