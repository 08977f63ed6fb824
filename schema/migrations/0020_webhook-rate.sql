ALTER TABLE `deleted_workflows` ADD `webhook_requests_per_minute` integer;--> statement-breakpoint
ALTER TABLE `workflows` ADD `webhook_requests_per_minute` integer;