ALTER TABLE `executions` ADD `hold` text;--> statement-breakpoint
ALTER TABLE `executions` ADD `concurrency_key` text;--> statement-breakpoint
ALTER TABLE `executions` ADD `superseded_by` text;--> statement-breakpoint
CREATE UNIQUE INDEX `executions_begun_by_key` ON `executions` (`workflow_id`,`concurrency_key`) WHERE "executions"."concurrency_key" is not null and "executions"."status" = 'running' and "executions"."hold" is null;--> statement-breakpoint
CREATE INDEX `executions_held` ON `executions` (`workflow_id`,`concurrency_key`) WHERE "executions"."hold" is not null;--> statement-breakpoint
CREATE INDEX `executions_open_by_key` ON `executions` (`workflow_id`,`concurrency_key`,`id`) WHERE "executions"."concurrency_key" is not null and "executions"."status" = 'running';--> statement-breakpoint
ALTER TABLE `missed_runs` ADD `reason` text DEFAULT 'late' NOT NULL;