import { fileURLToPath } from "node:url";

/** The repository's root, for any working directory. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));
