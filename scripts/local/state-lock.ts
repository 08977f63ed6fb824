import { Database } from "bun:sqlite";
import { join } from "node:path";

/**
 * Holds a state directory for this process alone; null when another one has it. The lock is SQLite's own on a file, so
 * that it ends with the process, however that ends.
 */
export function lockState(stateDirectory: string): { release(): void } | null {
  const database = new Database(join(stateDirectory, "state.lock"), { create: true });
  try {
    database.run("BEGIN EXCLUSIVE");
  } catch {
    database.close();
    return null;
  }
  return { release: () => database.close() };
}
