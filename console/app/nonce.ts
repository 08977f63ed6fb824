import { setNonce } from "get-nonce";

/** The page's nonce. The Content-Security-Policy allows only styles that carry it. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

// The scroll lock of Mantine's dialogs reads the nonce from this package.
setNonce(nonce);
