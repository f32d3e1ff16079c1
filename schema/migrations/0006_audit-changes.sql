ALTER TABLE `audit_events` ADD `actor_id` integer;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `changes` text;
