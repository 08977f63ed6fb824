/** What stands where in a deployment's state directory, and in a backup of it. */
export const DATABASE_DIRECTORY = "database";
export const DATABASE_FILE = "database/bellhop.db";
/** The objects' files, `<namespace>/<object>.sqlite`, as workerd lays them out; `metadata.sqlite` there holds alarms. */
export const OBJECTS_DIRECTORY = "objects";
/** There from before a restore takes away what was, until what was backed up is in its place. */
export const RESTORE_MARK = "restore-unfinished";
