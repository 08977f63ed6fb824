/** What other folders may import of pools. */
export { viewPool } from "./get.ts";
export { knownPools } from "./list.ts";
