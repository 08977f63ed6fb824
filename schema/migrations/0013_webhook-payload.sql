ALTER TABLE `deleted_workflows` ADD `published_payload` text;--> statement-breakpoint
ALTER TABLE `workflows` ADD `published_payload` text;