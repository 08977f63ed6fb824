CREATE TABLE `limit_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`max_runs` integer NOT NULL,
	`period_seconds` integer NOT NULL,
	`when_reached` text NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `limit_groups_by_name` ON `limit_groups` (`name`);--> statement-breakpoint
CREATE TABLE `limit_uses` (
	`group_id` text NOT NULL,
	`key` text NOT NULL,
	`execution_id` text NOT NULL,
	`at` integer NOT NULL,
	`is_over_limit` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`group_id`, `key`, `execution_id`)
);
--> statement-breakpoint
CREATE INDEX `limit_uses_of_key` ON `limit_uses` (`group_id`,`key`,`at`);--> statement-breakpoint
CREATE INDEX `limit_uses_of_group` ON `limit_uses` (`group_id`,`at`);--> statement-breakpoint
CREATE INDEX `limit_uses_by_time` ON `limit_uses` (`at`);--> statement-breakpoint
ALTER TABLE `executions` ADD `limits` text;