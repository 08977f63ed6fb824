import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { objectAt } from "./json.ts";
import type { Selector } from "./selector.ts";

const REVISION = "deployment.kubernetes.io/revision";
const HASH = "pod-template-hash";
/** Annotations that the controller does not copy from a Deployment to its ReplicaSets. */
const NOT_COPIED = /^(deployment\.kubernetes\.io\/|kubectl\.kubernetes\.io\/last-applied|deprecated\.)/u;

export interface NewDeployment {
  name: string;
  namespace?: string;
  replicas?: number;
  /** Images by container. */
  images?: Record<string, string>;
  labels?: Record<string, string>;
  /** Its labels by default. */
  selector?: JsonObject;
}

export interface LogSource {
  text?: string;
  previous?: string;
  /** Lines from an hour before the text. */
  old?: string;
  /** Repeated until the reader disconnects. */
  endless?: string;
}

/** The objects of a cluster, and the part of its controllers that deployments need. Objects are plain JSON, as sent. */
export class ClusterState {
  readonly deployments = new Map<string, JsonObject>();
  readonly replicaSets = new Map<string, JsonObject>();
  readonly pods = new Map<string, JsonObject>();
  /** Logs by `namespace/pod/container`. */
  readonly logs = new Map<string, LogSource>();
  /** Requests that are forbidden for every user: `patch deployments shop`, as verb, resource and namespace. */
  readonly forbidden = new Set<string>();
  /** Called for every change of a deployment. */
  onChange: (deployment: JsonObject) => void = () => undefined;
  #version = 1;

  deploy({
    name,
    namespace = "default",
    replicas = 2,
    images = { app: "shop/web:1" },
    labels = { app: name },
    selector = { matchLabels: labels },
  }: NewDeployment): void {
    const containers = Object.entries(images).map(([container, image]) => ({ name: container, image }));
    this.#store(this.deployments, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...this.#metadata(name, namespace), generation: 1, labels, annotations: { team: "shop" } },
      spec: { replicas, selector, template: { metadata: { labels }, spec: { containers } } },
      status: {},
    });
    this.finish(name, namespace);
  }

  deployment(name: string, namespace = "default"): JsonObject {
    const found = this.deployments.get(`${namespace}/${name}`);
    if (found === undefined) throw new Error(`there is no deployment ${namespace}/${name}`);
    return found;
  }

  /** Stores a deployment as a client wrote it: its generation counts the changes of its spec. */
  write(changed: JsonObject): JsonObject {
    const metadata = objectAt(changed["metadata"]);
    const key = `${String(metadata["namespace"])}/${String(metadata["name"])}`;
    const before = this.deployments.get(key);
    const same = Bun.deepEquals(before?.["spec"], changed["spec"]);
    const generation = Number(metadata["generation"]) + (same ? 0 : 1);
    return this.#store(this.deployments, { ...changed, metadata: { ...metadata, generation } });
  }

  /** The controller sees the new spec: the new ReplicaSet exists, none of its pods does yet. */
  observe(name: string, namespace = "default"): void {
    const deployment = structuredClone(this.deployment(name, namespace));
    const [metadata, spec] = [objectAt(deployment["metadata"]), objectAt(deployment["spec"])];
    const own = this.#replicaSetsOf(deployment);
    const matching = own.find((set) => Bun.deepEquals(withoutHash(set), spec["template"]));
    const revision = Math.max(0, ...own.filter((set) => set !== matching).map(revisionOf)) + 1;
    const set = matching ?? this.#newReplicaSet(deployment);
    const ofDeployment = Object.entries(objectAt(metadata["annotations"] ?? {}));
    const copied = Object.fromEntries(ofDeployment.filter(([key]) => !NOT_COPIED.test(key)));
    const annotations: JsonObject = { ...objectAt(objectAt(set["metadata"])["annotations"] ?? {}), ...copied };
    const kept = matching !== undefined && revisionOf(matching) >= revision ? revisionOf(matching) : revision;
    this.#store(this.replicaSets, {
      ...set,
      metadata: { ...objectAt(set["metadata"]), annotations: { ...annotations, [REVISION]: String(kept) } },
    });
    const old = Number(objectAt(deployment["status"])["replicas"] ?? 0);
    const updated = matching !== undefined && kept === revisionOf(matching) ? old : 0;
    this.#store(this.deployments, {
      ...deployment,
      metadata: { ...metadata, annotations: { ...objectAt(metadata["annotations"] ?? {}), [REVISION]: String(kept) } },
      status: {
        observedGeneration: metadata["generation"] ?? 1,
        replicas: old,
        updatedReplicas: updated,
        readyReplicas: old,
        availableReplicas: old,
        conditions: [condition("Progressing", "True", "ReplicaSetUpdated")],
      },
    });
  }

  /** The controller and the nodes are done: every wanted pod runs, and no other. */
  finish(name: string, namespace = "default"): void {
    this.observe(name, namespace);
    const deployment = this.deployment(name, namespace);
    const replicas = Number(objectAt(deployment["spec"])["replicas"]);
    const status = objectAt(deployment["status"]);
    this.#store(this.deployments, {
      ...deployment,
      status: {
        ...status,
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
        conditions: [condition("Progressing", "True", "NewReplicaSetAvailable")],
      },
    });
    const { containers = [] } = objectAt(objectAt(objectAt(deployment["spec"])["template"])["spec"]);
    for (let index = 0; index < replicas; index += 1) this.addPod(`${name}-${index}`, { namespace, containers });
  }

  /** The controller gives up waiting for the pods. */
  exceedDeadline(name: string, namespace = "default"): void {
    this.observe(name, namespace);
    const deployment = this.deployment(name, namespace);
    const conditions = [condition("Progressing", "False", "ProgressDeadlineExceeded")];
    this.#store(this.deployments, { ...deployment, status: { ...objectAt(deployment["status"]), conditions } });
  }

  addPod(
    name: string,
    {
      namespace = "default",
      containers = [{ name: "app" }],
      annotations = {},
    }: {
      namespace?: string;
      containers?: JsonValue;
      annotations?: Record<string, string>;
    } = {},
  ): void {
    this.#store(this.pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...this.#metadata(name, namespace), annotations },
      spec: { nodeName: "node-1", containers },
      status: { phase: "Running" },
    });
  }

  /** A pod with a grace period runs until its node reports its end: `endPods`. */
  deletePod(pod: JsonObject, graceSeconds: number): JsonObject {
    const metadata = objectAt(pod["metadata"]);
    const deletionTimestamp = new Date(Date.now() + graceSeconds * 1_000).toISOString();
    const ending = { deletionTimestamp, ...metadata, deletionGracePeriodSeconds: graceSeconds };
    const stored = this.#store(this.pods, { ...pod, metadata: ending });
    if (graceSeconds === 0) this.pods.delete(`${String(metadata["namespace"])}/${String(metadata["name"])}`);
    return stored;
  }

  /** The nodes have ended the deleted pods. */
  endPods(): void {
    for (const [key, pod] of this.pods) {
      if ("deletionTimestamp" in objectAt(pod["metadata"])) this.pods.delete(key);
    }
  }

  list(kind: "replicaSets" | "pods" | "deployments", namespace: string, takes: Selector = () => true): JsonObject[] {
    return [...this[kind].values()].filter((item) => {
      const metadata = objectAt(item["metadata"]);
      return metadata["namespace"] === namespace && takes(objectAt(metadata["labels"] ?? {}));
    });
  }

  #replicaSetsOf(deployment: JsonObject): JsonObject[] {
    const uid = objectAt(deployment["metadata"])["uid"];
    return [...this.replicaSets.values()].filter((set) => {
      const [owner] = [objectAt(set["metadata"])["ownerReferences"]].flat();
      return objectAt(owner)["uid"] === uid;
    });
  }

  #newReplicaSet(deployment: JsonObject): JsonObject {
    const [metadata, spec] = [objectAt(deployment["metadata"]), objectAt(deployment["spec"])];
    const hash = createHash("sha256").update(JSON.stringify(spec["template"])).digest("hex").slice(0, 10);
    const template = objectAt(spec["template"]);
    const labels = { ...objectAt(objectAt(template["metadata"])["labels"] ?? {}), [HASH]: hash };
    const name = String(metadata["name"]);
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name, uid: metadata["uid"] ?? "", controller: true };
    return {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        ...this.#metadata(`${name}-${hash}`, String(metadata["namespace"])),
        labels,
        ownerReferences: [owner],
      },
      spec: {
        replicas: spec["replicas"] ?? 1,
        selector: { matchLabels: labels },
        template: { ...template, metadata: { ...objectAt(template["metadata"]), labels } },
      },
    };
  }

  #metadata(name: string, namespace: string): JsonObject {
    return { name, namespace, uid: crypto.randomUUID(), creationTimestamp: new Date().toISOString() };
  }

  #store(into: Map<string, JsonObject>, value: JsonObject): JsonObject {
    this.#version += 1;
    const metadata: JsonObject = { ...objectAt(value["metadata"]), resourceVersion: String(this.#version) };
    const stored = { ...value, metadata };
    into.set(`${String(metadata["namespace"])}/${String(metadata["name"])}`, stored);
    if (into === this.deployments) this.onChange(stored);
    return stored;
  }
}

function condition(type: string, status: string, reason: string): JsonObject {
  return { type, status, reason, message: `${type} is ${status}`, lastUpdateTime: new Date().toISOString() };
}

function withoutHash(set: JsonObject): JsonObject {
  const template = structuredClone(objectAt(objectAt(set["spec"])["template"]));
  delete objectAt(objectAt(template["metadata"])["labels"])[HASH];
  return template;
}

function revisionOf(set: JsonObject): number {
  return Number(objectAt(objectAt(set["metadata"])["annotations"] ?? {})[REVISION] ?? 0);
}
