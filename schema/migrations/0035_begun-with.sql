ALTER TABLE `openid_grants` ADD `begun_with` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `begun_with` text DEFAULT '' NOT NULL;