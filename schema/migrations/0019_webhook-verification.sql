ALTER TABLE `deleted_workflows` ADD `webhook_verification` text;--> statement-breakpoint
ALTER TABLE `deleted_workflows` ADD `webhook_old_secret` text;--> statement-breakpoint
ALTER TABLE `workflows` ADD `webhook_verification` text;--> statement-breakpoint
ALTER TABLE `workflows` ADD `webhook_old_secret` text;