import * as models from "@kubernetes/client-node";
import type { Json } from "./description.ts";
import { described } from "./shapes.ts";

interface Attribute {
  baseName: string;
  type: string;
  format: string;
}

const text = { type: "string" };
const number = { type: "integer" };
const flag = { type: "boolean" };
const REQUIRED: Record<string, string[]> = {
  V1DeploymentSpec: ["selector", "template"],
  V1PodSpec: ["containers"],
  V1Container: ["name"],
  V1SelfSubjectAccessReview: ["spec"],
};
const SCALARS: Record<string, Json> = {
  string: text,
  number,
  boolean: flag,
  Date: text,
  any: {},
  IntOrString: { type: ["integer", "string"] },
};

/** JSON Schemas by the API's names, from the models that the client library generates from the API. */
function schemasOf(named: Readonly<Record<string, string>>): Json {
  const schemas: Json = {};
  const schemaOf = (type: string): Json => {
    const list = /^(?:Array|Set)<(.+)>$/u.exec(type)?.[1];
    if (list !== undefined) return { type: "array", items: schemaOf(list) };
    const map = /^\{ \[key: string\]: (.+); \}$/u.exec(type)?.[1];
    if (map !== undefined) return { type: "object", additionalProperties: schemaOf(map) };
    if (SCALARS[type] !== undefined) return SCALARS[type];
    if (schemas[type] === undefined) {
      schemas[type] = {};
      const properties = attributesOf(type).map(({ baseName, type: inner }) => [baseName, schemaOf(inner)] as const);
      const required = REQUIRED[type];
      schemas[type] = {
        type: "object",
        properties: Object.fromEntries(properties),
        ...(required === undefined ? {} : { required }),
      };
    }
    return { $ref: `#/components/schemas/${type}` };
  };
  const roots = Object.entries(named).map(([name, model]) => [name, schemaOf(model)] as const);
  return { ...schemas, ...Object.fromEntries(roots) };
}

function attributesOf(type: string): Attribute[] {
  const model: unknown = Reflect.get(models, type);
  const attributes: unknown = typeof model === "function" ? Reflect.get(model, "attributeTypeMap") : undefined;
  if (!Array.isArray(attributes)) throw new Error(`@kubernetes/client-node has no model ${type}`);
  return attributes;
}

const DEPLOYMENT = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
const POD = "/api/v1/namespaces/{namespace}/pods/{name}";
const PATCH_TYPES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];
const patch = { query: { fieldManager: text, fieldValidation: text }, body: {}, contentTypes: PATCH_TYPES };
const list = { query: { labelSelector: text, fieldSelector: text, limit: number, continue: text } };
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** The calls of the Kubernetes API that the actions make (https://kubernetes.io/docs/reference/kubernetes-api). */
export const KUBERNETES = described(
  {
    "GET /version/": {},
    [`GET ${DEPLOYMENT}`]: {},
    [`PATCH ${DEPLOYMENT}`]: patch,
    [`GET ${DEPLOYMENT}/scale`]: {},
    [`PATCH ${DEPLOYMENT}/scale`]: patch,
    "GET /apis/apps/v1/namespaces/{namespace}/replicasets": list,
    "GET /api/v1/namespaces/{namespace}/pods": list,
    [`GET ${POD}`]: {},
    [`DELETE ${POD}`]: { body: ref("DeleteOptions") },
    [`GET ${POD}/log`]: {
      query: { container: text, tailLines: number, sinceSeconds: number, previous: flag, follow: flag },
    },
    "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews": { body: ref("SelfSubjectAccessReview") },
  },
  schemasOf({
    "io.k8s.api.apps.v1.Deployment": "V1Deployment",
    "io.k8s.api.autoscaling.v1.Scale": "V1Scale",
    DeleteOptions: "V1DeleteOptions",
    SelfSubjectAccessReview: "V1SelfSubjectAccessReview",
  }),
);
