CREATE TABLE `notification_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`rule` text NOT NULL,
	`since` integer NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notification_rules_by_name` ON `notification_rules` (("rule" ->> '$.name'));--> statement-breakpoint
CREATE INDEX `executions_failed_roots` ON `executions` (`status`,`finished_at`,`id`) WHERE "executions"."parent_execution_id" is null and "executions"."status" = 'failed' and "executions"."finished_at" is not null;