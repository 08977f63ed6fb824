/**
 * Templates: `{{path.to.value | filter}}` (docs/design/templates.md#paths). In data a value stays a value
 * (`renderData`). Code takes values by name, outside its text (render-named-values.ts), or in place, as plain words
 * (`renderCode`), under the promise of docs/design/templates.md#guarantee.
 */
export { loneTemplate, parseTemplate } from "./parse.ts";
export { ownValue } from "../own-value.ts";
export { renderData } from "../render-data.ts";
export { checkCode } from "./check-code.ts";
export { renderCode } from "../render-code.ts";
