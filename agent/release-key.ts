/** Set by `npm run build:agent` from the key that signs releases; absent when the sources run without a build. */
declare const BELLHOP_RELEASE_PUBLIC_KEY: string | undefined;

/**
 * The public key that verifies releases of the agent: base64 of the 32 raw bytes of an Ed25519 key. Empty in an
 * executable built without a key, which cannot check an update.
 */
export const RELEASE_PUBLIC_KEY = typeof BELLHOP_RELEASE_PUBLIC_KEY === "string" ? BELLHOP_RELEASE_PUBLIC_KEY : "";
