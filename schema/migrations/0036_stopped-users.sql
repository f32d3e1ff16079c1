ALTER TABLE `throttle_counters` ADD `account_id` integer;--> statement-breakpoint
ALTER TABLE `throttle_counters` ADD `stops_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `throttle_counters` ADD `stops` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX `throttle_counters_stopped` ON `throttle_counters` (`stops_until`,`account_id`) WHERE "throttle_counters"."account_id" is not null;