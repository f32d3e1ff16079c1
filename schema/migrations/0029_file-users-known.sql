ALTER TABLE `file_users` ADD `next_name` text;--> statement-breakpoint
ALTER TABLE `file_users` ADD `sub` text;--> statement-breakpoint
ALTER TABLE `file_users` ADD `gone_at` integer;--> statement-breakpoint
UPDATE `file_users` SET `sub` = (SELECT `sub` FROM `users` WHERE `users`.`id` = `file_users`.`user_id`);
