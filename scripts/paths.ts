import { fileURLToPath } from "node:url";

/** The repository's root, wherever the scripts are called from. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));
