import type { PatchStrategy } from "@kubernetes/client-node";
import type { SocketStage } from "../http/open-socket.ts";

/** The part of a request that the library does not know. */
export interface Call {
  /** The subject in messages: "Deployment web in namespace shop". */
  about: string;
  /** Says what may be done already when the answer does not come, and what to do then; null for what only reads. */
  mayHave: string | null;
  /** Of a patch: the library declares every patch as a JSON patch. */
  contentType?: PatchStrategy;
  /** Gets every stage of the connection as it begins. */
  onStage?: (stage: SocketStage) => void;
  /** Reads a body that is not kept whole; called with the status when the head has arrived. */
  take?: (statusCode: number) => (chunk: Uint8Array) => void;
}
