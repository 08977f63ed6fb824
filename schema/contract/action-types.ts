import { z } from "zod";

/** What running an action twice does. */
export type Effect = "read" | "idempotent" | "unsafe";
export const effectSchema = z.enum(["read", "idempotent", "unsafe"]);

export type CodeLanguage = "bash" | "sh" | "powershell" | "python" | "cmd" | "sql";
