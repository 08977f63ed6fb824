import type { ReactNode } from "react";
import { rich } from "../rich.ts";

/** The delivery of credentials, and what others may show of it. */
export const credentials = {
  verified: {
    by: (who: string, date: ReactNode) => rich`Verified by ${who} on ${date}.`,
    hint: "This is a hint, not a proof: compare the fingerprint yourself before you deliver.",
  },
};
