ALTER TABLE `deleted_workflows` ADD `retention` text;--> statement-breakpoint
ALTER TABLE `deleted_workflows` ADD `retention_former` text;--> statement-breakpoint
ALTER TABLE `deleted_workflows` ADD `keeps_executions` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `workflows` ADD `retention` text;--> statement-breakpoint
ALTER TABLE `workflows` ADD `retention_former` text;