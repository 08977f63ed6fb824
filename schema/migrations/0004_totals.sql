CREATE TABLE `totals` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
