CREATE TABLE `maintenance_windows` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`reason` text,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`mode` text NOT NULL,
	`everything` integer NOT NULL,
	`workflow_ids` text NOT NULL,
	`tags` text NOT NULL,
	`services` text NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `maintenance_windows_by_end` ON `maintenance_windows` (`ends_at`);--> statement-breakpoint
ALTER TABLE `executions` ADD `suppressed` text;--> statement-breakpoint
CREATE INDEX `executions_in_maintenance` ON `executions` (`id`) WHERE "hold" ->> '$.code' = 'maintenance';--> statement-breakpoint
CREATE INDEX `executions_suppressed` ON `executions` (("suppressed" ->> '$.windowId'),`id`) WHERE "suppressed" is not null;