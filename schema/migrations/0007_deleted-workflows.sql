CREATE TABLE `deleted_workflows` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`runbook_url` text,
	`trigger` text NOT NULL,
	`definition` text NOT NULL,
	`changed_by` text DEFAULT '[]' NOT NULL,
	`published_version_id` text,
	`published_trigger_type` text,
	`active` integer DEFAULT false NOT NULL,
	`consecutive_failures` integer DEFAULT 0 NOT NULL,
	`auto_disabled_at` integer,
	`auto_disable_reason` text,
	`next_run_at` integer,
	`webhook_key` text,
	`webhook_secret_hash` text,
	`gate_epoch` integer DEFAULT 0 NOT NULL,
	`gate_pushed_epoch` integer DEFAULT 0 NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer NOT NULL,
	`final` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deleted_workflows_by_time` ON `deleted_workflows` (`final`,`deleted_at`);