/** Set by `npm run build:agent` from the key that signs releases; absent when the sources run without a build. */
declare const BELLHOP_RELEASE_PUBLIC_KEY: string | undefined;

/**
 * What releases of the agent are signed with: base64 of the 32 raw bytes of an Ed25519 public key. Empty in an executable
 * that was built without a key: it cannot check an update.
 */
export const RELEASE_PUBLIC_KEY = typeof BELLHOP_RELEASE_PUBLIC_KEY === "string" ? BELLHOP_RELEASE_PUBLIC_KEY : "";
