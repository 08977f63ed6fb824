/**
 * Templates: `{{path.to.value}}`, dots only, array indexes as numbers, own properties only, case-sensitive; what does not
 * resolve is an empty text (specification, "Template variables"; design 5). Blanks inside the braces are ignored. A
 * literal `{{` is written `{{"{{"}}`.
 *
 * A value never becomes code. In data it stays a value (`renderData`); in code it travels beside the text as an
 * environment variable, and the template becomes a reference to it (`renderCode`).
 *
 * Guaranteed is the place of a template: its value is never part of the code's text, and where the language itself would
 * read what stands there as code, as a name or as arithmetic, the template is refused (`checkCode`). The exception is
 * cmd.exe, where only plain values get into the text.
 *
 * Best effort is what the script itself does with the value later. It is followed through variables, functions, pipes and
 * files as far as these rules read the language, and into the programs and options that they know to run their input
 * (template/shell-programs.ts, template/shell-options.ts). A program that evaluates what it is given, takes a value for
 * an option, or opens the file under another name, is not known to them: whoever writes the script decides about that.
 */
export { loneTemplate, parseTemplate } from "./template/parse.ts";
export { ownValue } from "./template/value.ts";
export { renderData } from "./template/render-data.ts";
export { checkCode, renderCode } from "./template/code.ts";
