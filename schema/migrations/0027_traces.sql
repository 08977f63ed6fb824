CREATE TABLE `trace_progress` (
	`id` integer PRIMARY KEY NOT NULL,
	`not_before` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`error` text
);
--> statement-breakpoint
CREATE TABLE `trace_queue` (
	`execution_id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE `executions` ADD `root_execution_id` text;