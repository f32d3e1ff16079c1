ALTER TABLE `sessions` ADD `pending_totp_seed` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `pending_totp_expires_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `pending_totp_seed`;--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `pending_totp_expires_at`;