ALTER TABLE `deleted_workflows` ADD `tags` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `workflows` ADD `tags` text DEFAULT '[]' NOT NULL;