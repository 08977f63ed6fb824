ALTER TABLE `credentials` ADD `type` text;--> statement-breakpoint
ALTER TABLE `credentials` ADD `job_id` text;--> statement-breakpoint
CREATE INDEX `credentials_of_job` ON `credentials` (`job_id`);--> statement-breakpoint
CREATE INDEX `credentials_due` ON `credentials` (`status`,`updated_at`);