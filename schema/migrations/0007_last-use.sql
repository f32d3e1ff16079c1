ALTER TABLE `sessions` ADD `last_active_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `ssh_keys` ADD `last_used_network` text DEFAULT '' NOT NULL;