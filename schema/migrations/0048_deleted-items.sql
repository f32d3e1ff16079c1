CREATE TABLE `deleted_items` (
	`user_id` integer NOT NULL,
	`session_id` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`rows` text NOT NULL,
	`deleted_at` integer NOT NULL,
	`claimed` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`user_id`, `id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `deleted_items_at` ON `deleted_items` (`deleted_at`);--> statement-breakpoint
ALTER TABLE `users` ADD `invitation_id` integer;--> statement-breakpoint
CREATE INDEX `users_invitation` ON `users` (`invitation_id`) WHERE "users"."invitation_id" is not null;