/** What other folders may import of people. */
export { endAccess } from "./end-access.ts";
export { hashPassword, passwordMatches } from "./password.ts";
export { readRoles } from "./roles.ts";
export { viewUser } from "./view.ts";
