/** The layout of a deployment's state directory, and of a backup. */
export const DATABASE_DIRECTORY = "database";
export const DATABASE_FILE = "database/bellhop.db";
/** The file of a state on sqld. A backup has it as DATABASE_FILE. */
export const SQLD_FILE = "database/sqld/dbs/default/data";
/** The file of a state whose database is elsewhere holds its address. */
export const ELSEWHERE_FILE = "database/elsewhere";
/** The objects' files, `<namespace>/<object>.sqlite`, in workerd's layout; `metadata.sqlite` there holds alarms. */
export const OBJECTS_DIRECTORY = "objects";
/** Exists from before a restore removes the old contents until the new contents are complete. */
export const RESTORE_MARK = "restore-unfinished";
