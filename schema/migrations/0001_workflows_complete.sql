CREATE TABLE `idempotency_keys` (
	`actor` text NOT NULL,
	`key` text NOT NULL,
	`operation` text NOT NULL,
	`request_digest` text NOT NULL,
	`status` integer,
	`answer` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`actor`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_time` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `integration_deliveries` (
	`integration_id` text NOT NULL,
	`delivery_key` text NOT NULL,
	`incident_id` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `delivery_key`)
);
--> statement-breakpoint
CREATE INDEX `integration_deliveries_by_time` ON `integration_deliveries` (`at`);--> statement-breakpoint
CREATE TABLE `login_failures` (
	`key` text PRIMARY KEY NOT NULL,
	`window_started_at` integer NOT NULL,
	`failures` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `login_failures_by_window` ON `login_failures` (`window_started_at`);--> statement-breakpoint
CREATE TABLE `missed_runs` (
	`workflow_id` text NOT NULL,
	`first_due_at` integer NOT NULL,
	`last_due_at` integer NOT NULL,
	`count` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	PRIMARY KEY(`workflow_id`, `first_due_at`)
);
--> statement-breakpoint
DROP INDEX `incidents_by_dedup_key`;--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_open_dedup_key` ON `incidents` (`dedup_key`) WHERE "incidents"."status" <> 'resolved' and "incidents"."dedup_key" is not null;--> statement-breakpoint
ALTER TABLE `executions` ADD `parent_execution_id` text;--> statement-breakpoint
ALTER TABLE `executions` ADD `parent_workflow_id` text;--> statement-breakpoint
CREATE INDEX `executions_by_workflow_and_status` ON `executions` (`workflow_id`,`status`,`id`);--> statement-breakpoint
ALTER TABLE `node_runs` ADD `child_execution_id` text;--> statement-breakpoint
ALTER TABLE `node_runs` ADD `revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_log_by_actor` ON `audit_log` (`actor`,`id`);