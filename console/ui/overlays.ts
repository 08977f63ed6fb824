let load: () => Promise<boolean> = async () => false;

export function whenOverlaysAreNeeded(loader: () => Promise<boolean>): void {
  load = loader;
}

/** Loads what shows toasts and questions. Resolves when it is on the page; to false when it cannot be loaded. */
export function overlays(): Promise<boolean> {
  return load();
}
