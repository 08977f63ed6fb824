export type { Principal } from "../services/people/principal.ts";
