import { SERVICE_SETTINGS } from "../../schema/settings/service.ts";
import { WRONG_SETTING } from "../database-choice.ts";
import { startExportServer } from "../export-directory/server.ts";
import { Refused } from "./refused.ts";

/** Stores what the Worker exports in a directory until SIGTERM. */
export async function storeExports({ directory, socket }: { directory: string; socket: string }): Promise<void> {
  const parsed = SERVICE_SETTINGS.RETENTION_EXPORT_DIRECTORY.parse(directory, directory);
  if ("problem" in parsed) throw new Refused(`RETENTION_EXPORT_DIRECTORY ${parsed.problem}.`, WRONG_SETTING);
  const server = await startExportServer({ directory, socket });
  console.log(`exported records are stored in ${directory}`);
  const stop = () => void server.stop().then(() => process.exit(0));
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}
