ALTER TABLE `mails` ADD `at` integer;--> statement-breakpoint
ALTER TABLE `mails` ADD `network` text DEFAULT '' NOT NULL;