import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { jsonObjectSchema, jsonValueSchema } from "../../../schema/contract/json.ts";
import type { VendorApi } from "../vendor-api/index.ts";
import { jsonPatch, mergePatch, objectAt, PatchProblem, withoutNulls } from "./json.ts";
import { parsedSelector } from "./selector.ts";
import type { ClusterState, LogSource } from "./state.ts";

const APPS = "io.k8s.api.apps.v1.Deployment";
const SCALE = "io.k8s.api.autoscaling.v1.Scale";
const VERBS: Readonly<Record<string, string>> = { GET: "get", PATCH: "patch", DELETE: "delete" };

export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  contentType: string | null;
  body: string;
  authorization: string | null;
  /** The user that the caller impersonates. */
  impersonated: { user: string | null; groups: string[] };
}

export type ApiAnswer =
  | { status: number; body: JsonValue; headers?: Record<string, string> }
  | { status: 200; log: LogSource; tailLines: number | null; previous: boolean; sinceSeconds?: number | null };

/** Answers like the API server, by the description; every refusal is a Status. */
export function answerTo(request: ApiRequest, state: ClusterState, vendor: VendorApi): ApiAnswer {
  const problems = vendor.check(request);
  if (problems.length > 0) return refusal(400, "BadRequest", problems.join("; "));
  if (request.path === "/version/") return { status: 200, body: { major: "1", minor: "32", gitVersion: "v1.32.4" } };
  if (request.path.endsWith("/selfsubjectaccessreviews")) {
    const review = parsedBody(request);
    const { verb, resource, namespace } = objectAt(objectAt(review["spec"])["resourceAttributes"]);
    const allowed = !state.forbidden.has(`${String(verb)} ${String(resource)} ${String(namespace)}`);
    return { status: 201, body: { ...review, status: { allowed } } };
  }
  const [, namespace = "", plural = "", name = "", sub = ""] =
    /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/u.exec(request.path) ?? [];
  const group = plural === "deployments" ? "deployments.apps" : plural;
  const verb = name === "" ? "list" : (VERBS[request.method] ?? "");
  if (state.forbidden.has(`${verb} ${plural} ${namespace}`)) {
    return refusal(403, "Forbidden", `${group} "${name}" is forbidden: cannot ${verb} in namespace "${namespace}"`);
  }
  if (name === "") return listed(plural, namespace, request, state);
  const objects = plural === "deployments" ? state.deployments : state.pods;
  const found = objects.get(`${namespace}/${name}`);
  if (found === undefined) return refusal(404, "NotFound", `${group} "${name}" not found`);
  if (sub === "log") return logOf(found, request, state);
  if (sub === "scale") return scaled(found, request, { state, vendor });
  if (request.method === "GET") return { status: 200, body: found };
  if (request.method === "DELETE") {
    const grace = request.body === "" ? 30 : Number(parsedBody(request)["gracePeriodSeconds"] ?? 30);
    return { status: 200, body: state.deletePod(found, grace) };
  }
  return patched(found, request, { state, vendor });
}

export function refusal(status: number, reason: string, message: string, headers?: Record<string, string>): ApiAnswer {
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code: status };
  return headers === undefined ? { status, body } : { status, body, headers };
}

type World = { state: ClusterState; vendor: VendorApi };

function patched(found: JsonObject, request: ApiRequest, { state, vendor }: World): ApiAnswer {
  const patch = jsonValueSchema.parse(JSON.parse(request.body));
  try {
    let changed: JsonObject;
    if (request.contentType === "application/json-patch+json") changed = jsonPatch(found, patch);
    else {
      const unknown = vendor.checkValue(APPS, patch, { partial: true });
      if (unknown.length > 0) return refusal(400, "BadRequest", unknown.join("; "));
      changed = objectAt(mergePatch(found, patch, request.contentType?.includes("strategic") === true));
    }
    // The server parses JSON into its own types, in which null means absent.
    changed = objectAt(withoutNulls(changed));
    if (objectAt(changed["metadata"])["resourceVersion"] !== objectAt(found["metadata"])["resourceVersion"]) {
      const { name } = objectAt(found["metadata"]);
      const why = "the object has been modified; please apply your changes to the latest version and try again";
      return refusal(409, "Conflict", `Operation cannot be fulfilled on deployments.apps "${String(name)}": ${why}`);
    }
    const invalid = vendor.checkValue(APPS, changed);
    if (invalid.length > 0) return refusal(422, "Invalid", invalid.join("; "));
    return { status: 200, body: state.write(changed) };
  } catch (error) {
    if (!(error instanceof PatchProblem)) throw error;
    return refusal(422, "Invalid", error.message);
  }
}

function scaled(found: JsonObject, request: ApiRequest, { state, vendor }: World): ApiAnswer {
  const metadata = objectAt(found["metadata"]);
  const scale = (replicas: JsonValue | undefined): JsonObject => ({
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: metadata["name"] ?? "", namespace: metadata["namespace"] ?? "" },
    // Go omits a number of 0.
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: objectAt(found["status"])["replicas"] ?? 0, selector: "" },
  });
  const spec = objectAt(found["spec"]);
  if (request.method === "GET") return { status: 200, body: scale(spec["replicas"]) };
  const patch = parsedBody(request);
  const invalid = vendor.checkValue(SCALE, patch, { partial: true });
  if (invalid.length > 0) return refusal(400, "BadRequest", invalid.join("; "));
  const wanted = objectAt(objectAt(mergePatch(scale(spec["replicas"]), patch, false))["spec"])["replicas"];
  state.write({ ...found, spec: { ...spec, replicas: wanted ?? 0 } });
  return { status: 200, body: scale(wanted) };
}

function logOf(pod: JsonObject, { query }: ApiRequest, state: ClusterState): ApiAnswer {
  const { name, namespace } = objectAt(pod["metadata"]);
  const containers = [objectAt(pod["spec"])["containers"] ?? []].flat().map((each) => String(objectAt(each)["name"]));
  const chosen = query.get("container") ?? (containers.length === 1 ? containers[0] : undefined);
  if (chosen === undefined) {
    const message = `a container name must be specified for pod ${String(name)}, choose one of: [${containers.join(" ")}]`;
    return refusal(400, "BadRequest", message);
  }
  if (!containers.includes(chosen)) {
    return refusal(400, "BadRequest", `container ${chosen} is not valid for pod ${String(name)}`);
  }
  const log = state.logs.get(`${String(namespace)}/${String(name)}/${chosen}`) ?? { text: "" };
  const previous = query.get("previous") === "true";
  if (previous && log.previous === undefined) {
    const message = `previous terminated container "${chosen}" in pod "${String(name)}" not found`;
    return refusal(400, "BadRequest", message);
  }
  const tailLines = query.get("tailLines");
  const sinceSeconds = query.get("sinceSeconds");
  return {
    status: 200,
    log,
    tailLines: tailLines === null ? null : Number(tailLines),
    previous,
    sinceSeconds: sinceSeconds === null ? null : Number(sinceSeconds),
  };
}

function listed(plural: string, namespace: string, { query }: ApiRequest, state: ClusterState): ApiAnswer {
  const kind = plural === "replicasets" ? "replicaSets" : "pods";
  const selector = query.get("labelSelector") ?? "";
  const takes = parsedSelector(selector);
  if (takes === null) return refusal(400, "BadRequest", `unable to parse requirement: ${selector}`);
  const all = state.list(kind, namespace, takes);
  const from = Number(query.get("continue") ?? 0);
  const to = from + Number(query.get("limit") ?? all.length);
  const metadata = { resourceVersion: "1", ...(to < all.length ? { continue: String(to) } : {}) };
  const [apiVersion, name] = plural === "replicasets" ? ["apps/v1", "ReplicaSetList"] : ["v1", "PodList"];
  return { status: 200, body: { apiVersion, kind: name, metadata, items: all.slice(from, to) } };
}

function parsedBody({ body }: ApiRequest): JsonObject {
  return jsonObjectSchema.parse(JSON.parse(body));
}
