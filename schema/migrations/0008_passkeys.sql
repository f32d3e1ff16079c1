CREATE TABLE `passkeys` (
	`credential_id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`public_key` text NOT NULL,
	`algorithm` integer NOT NULL,
	`sign_count` integer NOT NULL,
	`backup_eligible` integer,
	`backed_up` integer NOT NULL,
	`transports` text NOT NULL,
	`aaguid` text NOT NULL,
	`rp_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`discoverable` integer DEFAULT true NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);
--> statement-breakpoint
CREATE TABLE `used_challenges` (
	`hash` text PRIMARY KEY NOT NULL,
	`used_by` text NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `amr` text DEFAULT '' NOT NULL;
--> statement-breakpoint
-- Enrolment ended the other sessions of its user, so every later one was begun with a code, or enrolled.
UPDATE `sessions` SET `amr` = iif((SELECT `totp_seed` FROM `users` WHERE `id` = `user_id`) IS NULL, 'pwd', 'pwd otp');
