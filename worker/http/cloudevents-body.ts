import { INTEGRATION_DELIVERY_MAX_ENTRIES } from "../../schema/limits.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { attributesOfHeaders } from "../domain/incident/cloudevent-headers.ts";
import { ProblemError } from "../services/problem.ts";
import { isJsonType, readJsonBody } from "./json-body.ts";
import type { BodyLimits } from "./json-body.ts";
import { readBytes } from "./read-bytes.ts";
import { readTextBody } from "./text-body.ts";

/** The body of a request in the three content modes of CloudEvents over HTTP (HTTP protocol binding 1.0, 3). */
export type CloudEventsBody = { mode: "one"; event: JsonValue } | { mode: "batch"; events: JsonValue[] };

/** Reads one event or a batch, in JSON form. In binary mode the event is built from headers and body. */
export async function readCloudEventsBody(request: Request, limits: BodyLimits): Promise<CloudEventsBody> {
  const contentType = (request.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  switch (contentType) {
    case "application/cloudevents+json":
      return { mode: "one", event: await readWhole(request, limits) };
    case "application/cloudevents-batch+json": {
      const events = await readWhole(request, limits);
      if (!Array.isArray(events)) {
        throw new ProblemError("invalid_request", "A batch is a list of events. Send one event as cloudevents+json.");
      }
      if (events.length > INTEGRATION_DELIVERY_MAX_ENTRIES) {
        const most = `A batch holds at most ${INTEGRATION_DELIVERY_MAX_ENTRIES} events.`;
        throw new ProblemError("invalid_request", `${most} Send several batches.`);
      }
      return { mode: "batch", events };
    }
    default:
      return { mode: "one", event: await readBinary(request, limits, contentType) };
  }
}

async function readWhole(request: Request, limits: BodyLimits): Promise<JsonValue> {
  const body = await readJsonBody(request, limits);
  if (body === undefined) throw new ProblemError("invalid_request", "The body is empty: send the event in it.");
  return body.value;
}

async function readBinary(request: Request, limits: BodyLimits, contentType: string): Promise<JsonValue> {
  if (!request.headers.has("ce-specversion") || contentType.startsWith("application/cloudevents")) {
    throw new ProblemError(
      "unsupported_media_type",
      "Send a CloudEvent: its attributes as headers ce-specversion, ce-id, ce-source and ce-type, or the whole event as " +
        "application/cloudevents+json, or a list of them as application/cloudevents-batch+json.",
    );
  }
  const attributes = attributesOfHeaders(request.headers);
  const data = await readData(request, limits, contentType);
  const typed = contentType === "" ? attributes : { ...attributes, datacontenttype: contentType };
  return data === undefined ? typed : { ...typed, data };
}

/** Undefined when the body is empty, or neither JSON nor text: an event need not have data. */
async function readData(request: Request, limits: BodyLimits, contentType: string): Promise<JsonValue | undefined> {
  if (isJsonType(contentType)) return (await readJsonBody(request, limits))?.value;
  if (contentType.startsWith("text/")) {
    const text = await readTextBody(request, { maxBytes: limits.maxBytes, contentTypes: [contentType] });
    return text === "" ? undefined : text;
  }
  await readBytes(request, limits);
  return undefined;
}
