/**
 * Templates: `{{path.to.value}}`, dots only, array indexes as numbers, own properties only, case-sensitive; what does not
 * resolve is an empty text (specification, "Template variables"; design 5). Blanks inside the braces are ignored. A
 * literal `{{` is written `{{"{{"}}`.
 *
 * A value never becomes code. In data it stays a value (`renderData`); in code it travels beside the text as an
 * environment variable, and the template becomes a reference to it (`renderCode`).
 */
export { loneTemplate, parseTemplate } from "./template/parse.ts";
export { ownValue } from "./template/value.ts";
export { renderData } from "./template/render-data.ts";
export { checkCode, renderCode } from "./template/code.ts";
