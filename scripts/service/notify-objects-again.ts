import { DatabaseSync } from "node:sqlite";

/**
 * An object's copy is a little older than the database's: a key or a switch that changed in between is not in it. The
 * sweeper tells objects what libSQL says wherever the two may differ, so it is told that they may, everywhere.
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
