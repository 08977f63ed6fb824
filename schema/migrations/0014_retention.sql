CREATE TABLE `removed_executions` (
	`id` text PRIMARY KEY NOT NULL,
	`removed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `removed_executions_by_time` ON `removed_executions` (`removed_at`);--> statement-breakpoint
CREATE TABLE `retention_kinds` (
	`kind` text PRIMARY KEY NOT NULL,
	`deleted` integer DEFAULT 0 NOT NULL,
	`audited` integer DEFAULT 0 NOT NULL,
	`counted_at` integer,
	`counted` integer DEFAULT 0 NOT NULL,
	`counted_up_to` integer DEFAULT 0 NOT NULL,
	`counted_deleted` integer DEFAULT 0 NOT NULL,
	`bytes_per_row` integer DEFAULT 0 NOT NULL,
	`new_per_day` integer
);
--> statement-breakpoint
CREATE TABLE `retention_progress` (
	`id` integer PRIMARY KEY NOT NULL,
	`events_up_to` integer DEFAULT 0 NOT NULL,
	`pass_at` integer,
	`pass_ms` integer,
	`pass_rows` integer,
	`audited_at` integer
);
--> statement-breakpoint
CREATE TABLE `retention_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`periods` text NOT NULL,
	`former` text,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `executions_ended_roots` ON `executions` (`workflow_id`,`status`,`finished_at`) WHERE "executions"."parent_execution_id" is null and "executions"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX `missed_runs_by_time` ON `missed_runs` (`recorded_at`);--> statement-breakpoint
CREATE INDEX `stale_results_by_time` ON `stale_results` (`received_at`);