CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`pool_id` text,
	`key_prefix` text NOT NULL,
	`key_hash` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`registration` text,
	`public_key` text,
	`epoch` integer DEFAULT 1 NOT NULL,
	`pushed_epoch` integer DEFAULT 0 NOT NULL,
	`last_heartbeat_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_key_prefix` ON `agents` (`key_prefix`);--> statement-breakpoint
CREATE INDEX `agents_of_pool` ON `agents` (`pool_id`,`id`);--> statement-breakpoint
CREATE INDEX `agents_behind` ON `agents` (`pushed_epoch`,`epoch`);--> statement-breakpoint
CREATE TABLE `api_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`user_id` text,
	`token_digest` text NOT NULL,
	`permissions` text NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_digest` ON `api_tokens` (`token_digest`);--> statement-breakpoint
CREATE INDEX `api_tokens_of_user` ON `api_tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`verb` text NOT NULL,
	`subject_type` text NOT NULL,
	`subject_id` text NOT NULL,
	`detail` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_by_subject` ON `audit_log` (`subject_type`,`subject_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_by_actor` ON `audit_log` (`actor`,`id`);--> statement-breakpoint
CREATE TABLE `connections` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`config` text NOT NULL,
	`agent_id` text,
	`pool_id` text,
	`usable_by` text,
	`enabled` integer DEFAULT true NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`target_edits` integer DEFAULT 0 NOT NULL,
	`target_edited` text,
	`former_targets` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `connections_of_agent` ON `connections` (`agent_id`);--> statement-breakpoint
CREATE INDEX `connections_of_pool` ON `connections` (`pool_id`);--> statement-breakpoint
CREATE TABLE `credentials` (
	`connection_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`type` text,
	`state` text NOT NULL,
	`version` integer NOT NULL,
	`target_floor` integer DEFAULT 0 NOT NULL,
	`reported` text,
	`status` text NOT NULL,
	`fingerprint` text,
	`jwe` text,
	`jwe_expires_at` integer,
	`error` text,
	`job_id` text,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`connection_id`, `agent_id`)
);
--> statement-breakpoint
CREATE INDEX `credentials_of_agent` ON `credentials` (`agent_id`);--> statement-breakpoint
CREATE INDEX `credentials_expiring` ON `credentials` (`jwe_expires_at`);--> statement-breakpoint
CREATE INDEX `credentials_of_job` ON `credentials` (`job_id`);--> statement-breakpoint
CREATE INDEX `credentials_due` ON `credentials` (`status`,`updated_at`);--> statement-breakpoint
CREATE TABLE `execution_events` (
	`execution_id` text NOT NULL,
	`revision` integer NOT NULL,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`data` text,
	PRIMARY KEY(`execution_id`, `revision`)
);
--> statement-breakpoint
CREATE TABLE `executions` (
	`id` text PRIMARY KEY NOT NULL,
	`workflow_id` text NOT NULL,
	`version_id` text NOT NULL,
	`status` text NOT NULL,
	`trigger` text NOT NULL,
	`trigger_key` text NOT NULL,
	`webhook_key` text,
	`revision` integer NOT NULL,
	`depth` integer DEFAULT 0 NOT NULL,
	`parent_execution_id` text,
	`parent_workflow_id` text,
	`parent_node_run_id` text,
	`retry_of` text,
	`started_by` text DEFAULT '[]' NOT NULL,
	`approved` text,
	`error` text,
	`started_at` integer NOT NULL,
	`begun_at` integer,
	`finished_at` integer,
	`wake_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `executions_trigger_key` ON `executions` (`workflow_id`,`trigger_key`);--> statement-breakpoint
CREATE INDEX `executions_by_workflow` ON `executions` (`workflow_id`,`id`);--> statement-breakpoint
CREATE INDEX `executions_by_workflow_and_status` ON `executions` (`workflow_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `executions_by_status` ON `executions` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `executions_due` ON `executions` (`wake_at`);--> statement-breakpoint
CREATE INDEX `executions_by_start` ON `executions` (`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `executions_by_parent` ON `executions` (`parent_node_run_id`);--> statement-breakpoint
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
CREATE TABLE `incident_events` (
	`id` text PRIMARY KEY NOT NULL,
	`incident_id` text NOT NULL,
	`type` text NOT NULL,
	`snapshot` text NOT NULL,
	`at` integer NOT NULL,
	`matched_at` integer
);
--> statement-breakpoint
CREATE INDEX `incident_events_of_incident` ON `incident_events` (`incident_id`,`id`);--> statement-breakpoint
CREATE INDEX `incident_events_unmatched` ON `incident_events` (`matched_at`,`at`);--> statement-breakpoint
CREATE TABLE `incidents` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`severity` text NOT NULL,
	`status` text NOT NULL,
	`service` text,
	`source` text,
	`host` text,
	`team_id` text,
	`assigned_to` text,
	`tags` text NOT NULL,
	`dedup_key` text,
	`escalation_level` integer DEFAULT 0 NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`resolved_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_open_dedup_key` ON `incidents` (`dedup_key`) WHERE "incidents"."status" <> 'resolved' and "incidents"."dedup_key" is not null;--> statement-breakpoint
CREATE INDEX `incidents_by_status` ON `incidents` (`status`,`id`);--> statement-breakpoint
CREATE TABLE `integration_deliveries` (
	`integration_id` text NOT NULL,
	`delivery_key` text NOT NULL,
	`incident_id` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `delivery_key`)
);
--> statement-breakpoint
CREATE INDEX `integration_deliveries_by_time` ON `integration_deliveries` (`at`);--> statement-breakpoint
CREATE TABLE `integrations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`key_prefix` text NOT NULL,
	`key_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `integrations_key_prefix` ON `integrations` (`key_prefix`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`execution_id` text,
	`node_run_id` text,
	`kind` text NOT NULL,
	`action` text,
	`effect` text NOT NULL,
	`connection_id` text,
	`pool_object` text NOT NULL,
	`agent_id` text,
	`status` text NOT NULL,
	`attempt` integer NOT NULL,
	`order` text NOT NULL,
	`error` text,
	`output` text,
	`queued_at` integer NOT NULL,
	`assignments` text,
	`confirmed_at` integer,
	`assigned_at` integer,
	`delivered_at` integer,
	`started_at` integer,
	`finished_at` integer,
	`reported_at` integer
);
--> statement-breakpoint
CREATE INDEX `jobs_of_execution` ON `jobs` (`execution_id`);--> statement-breakpoint
CREATE INDEX `jobs_unconfirmed` ON `jobs` (`status`,`confirmed_at`,`queued_at`);--> statement-breakpoint
CREATE INDEX `jobs_of_connection` ON `jobs` (`connection_id`,`status`);--> statement-breakpoint
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
CREATE TABLE `node_run_outputs` (
	`node_run_id` text PRIMARY KEY NOT NULL,
	`execution_id` text NOT NULL,
	`output` text
);
--> statement-breakpoint
CREATE INDEX `node_run_outputs_of_execution` ON `node_run_outputs` (`execution_id`);--> statement-breakpoint
CREATE TABLE `node_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`execution_id` text NOT NULL,
	`node_id` text NOT NULL,
	`iteration_path` text DEFAULT '' NOT NULL,
	`status` text NOT NULL,
	`outcome` text,
	`attempt` integer DEFAULT 1 NOT NULL,
	`job_id` text,
	`child_execution_id` text,
	`revision` integer DEFAULT 0 NOT NULL,
	`error` text,
	`warnings` text,
	`wake_at` integer,
	`queued_at` integer,
	`assigned_at` integer,
	`delivered_at` integer,
	`started_at` integer,
	`finished_at` integer,
	`reported_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `node_runs_of_execution` ON `node_runs` (`execution_id`,`node_id`,`iteration_path`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id_digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_of_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_expiring` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `stale_results` (
	`id` text PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`lease` text NOT NULL,
	`agent_id` text NOT NULL,
	`status` text NOT NULL,
	`started_at` integer,
	`finished_at` integer NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `stale_results_of_job` ON `stale_results` (`job_id`);--> statement-breakpoint
CREATE TABLE `totals` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`password_hash` text,
	`oidc_subject` text,
	`enabled` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`last_login_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_oidc_subject` ON `users` (`oidc_subject`);--> statement-breakpoint
CREATE TABLE `workflow_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`workflow_id` text NOT NULL,
	`number` integer NOT NULL,
	`trigger` text NOT NULL,
	`definition` text NOT NULL,
	`published_at` integer NOT NULL,
	`published_by` text NOT NULL,
	`published_by_person` text,
	`changed_by` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_versions_number` ON `workflow_versions` (`workflow_id`,`number`);--> statement-breakpoint
CREATE TABLE `workflows` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
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
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflows_webhook_key` ON `workflows` (`webhook_key`);--> statement-breakpoint
CREATE INDEX `workflows_due` ON `workflows` (`published_trigger_type`,`active`,`next_run_at`);--> statement-breakpoint
CREATE INDEX `workflows_gate_behind` ON `workflows` (`gate_pushed_epoch`,`gate_epoch`);