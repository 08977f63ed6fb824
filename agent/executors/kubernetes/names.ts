/** One object that a job is about; its name and namespace are what the library's calls take. */
export interface Subject {
  namespace: string;
  name: string;
  /** "Deployment web in namespace shop" */
  called: string;
}

/** A Deployment or Pod. The contracts of action and connection have checked the names. */
export function subject(kind: "Deployment" | "Pod", namespace: string, name: string): Subject {
  return { namespace, name, called: `${kind} ${name} in namespace ${namespace}` };
}
