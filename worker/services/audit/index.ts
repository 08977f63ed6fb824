/** What other folders may import of the audit log. */
export { toAuditViews } from "./view.ts";
