CREATE TABLE `app_passwords` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`last_network` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_passwords_token` ON `app_passwords` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `app_passwords_name` ON `app_passwords` (`user_id`,`name`);--> statement-breakpoint
CREATE INDEX `audit_events_elsewhere` ON `audit_events` (`user_id`,`network`,`at`) WHERE "audit_events"."kind" = 'token_used_elsewhere';
