import { config } from "zod";

// The page's Content-Security-Policy forbids eval: zod would try it, be refused, and have that reported. Imported before any schema is used.
config({ jitless: true });
