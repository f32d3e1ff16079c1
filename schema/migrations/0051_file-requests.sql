CREATE TABLE `file_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`rights` text NOT NULL,
	`ends_at` integer NOT NULL
);
