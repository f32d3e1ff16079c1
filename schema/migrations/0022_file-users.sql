CREATE TABLE `file_users` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`remote_id` integer NOT NULL,
	`remote_name` text NOT NULL,
	`username` text,
	`permission` integer,
	`base_path` text,
	`disabled` integer,
	`writes` integer DEFAULT 0 NOT NULL,
	`token` text,
	`token_made_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `file_users_remote_id` ON `file_users` (`remote_id`);