import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { invalidParams } from "../shared/failures.ts";

export interface RequestBody {
  bytes: Buffer;
  contentType: string;
}

/** The body of a request; null without one. */
export function requestBody({
  body,
  bodyType,
}: Pick<ActionParams<"http.request">, "body" | "bodyType">): RequestBody | null {
  if (body === undefined) return null;
  switch (bodyType) {
    case "json":
      return { bytes: Buffer.from(isJsonText(body) ? body : JSON.stringify(body)), contentType: "application/json" };
    case "form":
      return { bytes: Buffer.from(formText(body)), contentType: "application/x-www-form-urlencoded" };
    case "text":
      return { bytes: Buffer.from(plainText(body)), contentType: "text/plain; charset=utf-8" };
  }
}

/** An object or array written as JSON text is sent unchanged. Any other text is sent as a JSON string. */
function isJsonText(body: JsonValue): body is string {
  if (typeof body !== "string" || !/^\s*[[{]/u.test(body)) return false;
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

function formText(body: JsonValue): string {
  if (typeof body === "string") return body;
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    throw invalidParams("A body of type form must be an object of names and values, or text that is already encoded.");
  }
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === "object" && item !== null) {
        throw invalidParams(
          `The field ${name} of the form is an object: a form can have only texts, numbers and lists of them.`,
        );
      }
      form.append(name, item === null ? "" : String(item));
    }
  }
  return form.toString();
}

function plainText(body: JsonValue): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
