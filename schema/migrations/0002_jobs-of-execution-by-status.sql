DROP INDEX `jobs_of_execution`;--> statement-breakpoint
CREATE INDEX `jobs_of_execution` ON `jobs` (`execution_id`,`status`);