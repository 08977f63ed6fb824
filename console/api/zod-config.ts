import { config } from "zod";

// Import this before using a schema. Otherwise zod tries eval, and the browser reports a violation of the page's
// Content-Security-Policy.
config({ jitless: true });
