export type { Principal } from "../services/principal.ts";
