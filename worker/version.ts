// A default import: wrangler's bundler refuses named imports of a JSON module.
import packageJson from "../package.json" with { type: "json" };

/** This Worker's version, shown by `/healthz` and `/metrics`. */
export const VERSION: string = packageJson.version;
