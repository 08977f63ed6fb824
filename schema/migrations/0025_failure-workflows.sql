CREATE TABLE `unreported_failures` (
	`execution_id` text PRIMARY KEY NOT NULL
);
