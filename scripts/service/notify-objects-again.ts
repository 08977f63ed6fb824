import { DatabaseSync } from "node:sqlite";

/**
 * An object's copy is a little older than the database's, so a key or a switch that changed in between is missing in
 * it. The sweeper updates objects from libSQL wherever libSQL marks a possible difference; this marks all of them.
 */
export function notifyObjectsAgain(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("UPDATE workflows SET gate_pushed_epoch = gate_epoch - 1 WHERE webhook_key IS NOT NULL");
    database.exec("UPDATE agents SET pushed_epoch = epoch - 1");
  } finally {
    database.close();
  }
}
