ALTER TABLE `sessions` ADD `confirmed_at` integer DEFAULT 0 NOT NULL;
