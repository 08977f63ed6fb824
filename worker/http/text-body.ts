import { ProblemError } from "../services/problem.ts";
import { readBytes } from "./read-bytes.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Reads a text body of one of these media types. Throws `payload_too_large`, `unsupported_media_type` or
 * `invalid_request`, in this order. An empty body is an empty text.
 */
export async function readTextBody(
  request: Request,
  { maxBytes, contentTypes }: { maxBytes: number; contentTypes: readonly string[] },
): Promise<string> {
  const bytes = await readBytes(request, { maxBytes });
  const encoding = (request.headers.get("Content-Encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "") {
    throw new ProblemError("unsupported_media_type", "Send the body without compression: no Content-Encoding.");
  }
  const sent = (request.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!contentTypes.includes(sent)) {
    throw new ProblemError(
      "unsupported_media_type",
      `Send the body with one of these as Content-Type: ${contentTypes.join(", ")}.`,
    );
  }
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ProblemError("invalid_request", "The body is not valid UTF-8. Send it as UTF-8.", { cause });
  }
}
