/** The layout of a deployment's state directory, and of a backup. */
export const DATABASE_DIRECTORY = "database";
export const DATABASE_FILE = "database/bellhop.db";
/** The objects' files, `<namespace>/<object>.sqlite`, in workerd's layout; `metadata.sqlite` there holds alarms. */
export const OBJECTS_DIRECTORY = "objects";
/** Exists from before a restore removes the old contents until the new contents are complete. */
export const RESTORE_MARK = "restore-unfinished";
