// The whole, not one name of it: of a JSON module wrangler's bundler knows the default export alone.
import packageJson from "../package.json" with { type: "json" };

/** Of this Worker; `/healthz` and `/metrics` tell it. */
export const VERSION: string = packageJson.version;
