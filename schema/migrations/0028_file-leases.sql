CREATE TABLE `file_leases` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`ends_at` integer NOT NULL
);
