/** What other folders may import of workflows. */
export { resolveInputs } from "./resolve-inputs.ts";
