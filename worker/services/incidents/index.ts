/** What other folders may import of incidents. */
export { scopedKey } from "./dedup-key.ts";
export { changeStatements, columnsOf, openIncident } from "./statements.ts";
