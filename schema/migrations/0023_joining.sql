CREATE TABLE `links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_by` integer,
	`user_id` integer,
	`name` text DEFAULT '' NOT NULL,
	`username` text DEFAULT '' NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`permission` integer DEFAULT 0 NOT NULL,
	`base_path` text DEFAULT '/' NOT NULL,
	`account_ends_at` integer,
	`account_days` integer,
	`second_factor` integer DEFAULT false NOT NULL,
	`password_changed_at` integer,
	`uses` integer DEFAULT 1 NOT NULL,
	`used` integer DEFAULT 0 NOT NULL,
	`used_by` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `links_token` ON `links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `links_user` ON `links` (`user_id`);--> statement-breakpoint
CREATE INDEX `links_ends_at` ON `links` (`ends_at`);--> statement-breakpoint
-- No rowid: a mail is one row of the table and one of each index.
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` integer,
	`link_hash` text,
	`address` text NOT NULL,
	`language` text NOT NULL,
	`sealed` text DEFAULT '' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`next_at`);--> statement-breakpoint
CREATE INDEX `mails_user` ON `mails` (`user_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `ends_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `end_told_for` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `waiting` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `registered_network` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `email` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `email_verified` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `users_waiting` ON `users` (`id`) WHERE "users"."waiting" = 1;--> statement-breakpoint
CREATE INDEX `users_ends_at` ON `users` (`ends_at`);--> statement-breakpoint
CREATE INDEX `users_email` ON `users` (lower("email")) WHERE "users"."email_verified" = 1;