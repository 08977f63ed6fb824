import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { objectAt } from "./json.ts";

const REVISION = "deployment.kubernetes.io/revision";
const HASH = "pod-template-hash";

export interface NewDeployment {
  name: string;
  namespace?: string;
  replicas?: number;
  /** By container. */
  images?: Record<string, string>;
}

export interface LogSource {
  text?: string;
  previous?: string;
  /** Written again and again until the reader goes. */
  endless?: string;
}

/** What a cluster holds, and the part of its controllers that deployments need. Objects are plain JSON, as sent. */
export class ClusterState {
  readonly deployments = new Map<string, JsonObject>();
  readonly replicaSets = new Map<string, JsonObject>();
  readonly pods = new Map<string, JsonObject>();
  /** By `namespace/pod/container`. */
  readonly logs = new Map<string, LogSource>();
  /** Told of every change of a deployment. */
  onChange: (deployment: JsonObject) => void = () => undefined;
  #version = 1;

  deploy({ name, namespace = "default", replicas = 2, images = { app: "shop/web:1" } }: NewDeployment): void {
    const labels = { app: name };
    const containers = Object.entries(images).map(([container, image]) => ({ name: container, image }));
    this.#store(this.deployments, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...this.#metadata(name, namespace), generation: 1, labels, annotations: { team: "shop" } },
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
      status: {},
    });
    this.finish(name, namespace);
  }

  deployment(name: string, namespace = "default"): JsonObject {
    const found = this.deployments.get(`${namespace}/${name}`);
    if (found === undefined) throw new Error(`there is no deployment ${namespace}/${name}`);
    return found;
  }

  /** Stores a deployment as a client wrote it: its generation counts the changes of what is wanted. */
  write(changed: JsonObject): JsonObject {
    const metadata = objectAt(changed["metadata"]);
    const key = `${String(metadata["namespace"])}/${String(metadata["name"])}`;
    const before = this.deployments.get(key);
    const same = Bun.deepEquals(before?.["spec"], changed["spec"]);
    const generation = Number(metadata["generation"]) + (same ? 0 : 1);
    return this.#store(this.deployments, { ...changed, metadata: { ...metadata, generation } });
  }

  /** The controller takes up what is wanted: the new ReplicaSet is there, none of its pods is yet. */
  observe(name: string, namespace = "default"): void {
    const deployment = structuredClone(this.deployment(name, namespace));
    const [metadata, spec] = [objectAt(deployment["metadata"]), objectAt(deployment["spec"])];
    const own = this.#replicaSetsOf(deployment);
    const matching = own.find((set) => Bun.deepEquals(withoutHash(set), spec["template"]));
    const revision = Math.max(0, ...own.filter((set) => set !== matching).map(revisionOf)) + 1;
    const set = matching ?? this.#newReplicaSet(deployment);
    const annotations = objectAt(objectAt(set["metadata"])["annotations"] ?? {});
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

  list(kind: "replicaSets" | "pods" | "deployments", namespace: string, selector: string | null): JsonObject[] {
    const wanted = (selector ?? "").split(",").filter((part) => part !== "");
    return [...this[kind].values()].filter((item) => {
      const metadata = objectAt(item["metadata"]);
      const labels = objectAt(metadata["labels"] ?? {});
      if (metadata["namespace"] !== namespace) return false;
      return wanted.every((part) => {
        const [label = "", value = ""] = part.split("=");
        return labels[label] === value;
      });
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
        annotations: { team: "shop" },
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
