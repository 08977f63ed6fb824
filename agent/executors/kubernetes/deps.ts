/** What the executor takes from its surroundings. */
export interface KubernetesDeps {
  environment: Readonly<Record<string, string | undefined>>;
  /** Where Kubernetes puts the token of the pod's service account. */
  serviceAccountDirectory: string;
  /** How long one answer may take to begin. */
  answerTimeoutMs?: number;
}
