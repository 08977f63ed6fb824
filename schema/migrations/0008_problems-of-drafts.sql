ALTER TABLE `deleted_workflows` ADD `problems` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `workflows` ADD `problems` text DEFAULT '[]' NOT NULL;