-- A link rests on accounts. What it rests on may come back (an account is enabled again, an address is entered again),
-- but the link must not come back with it, so its row goes when that ends. A link that was used up stays in the list.
CREATE TRIGGER `links_user_disabled` AFTER UPDATE OF `disabled` ON `users`
WHEN new.`disabled` = 1 AND old.`disabled` = 0 BEGIN
	DELETE FROM `links` WHERE `user_id` = new.`id` AND `used` < `uses`;
END;
--> statement-breakpoint
-- It reads every link, because an index would cost a written row for each, and admins are rarely dismissed.
CREATE TRIGGER `links_maker_dismissed` AFTER UPDATE OF `disabled`, `role` ON `users`
WHEN old.`role` = 2 AND old.`disabled` = 0 AND (new.`role` <> 2 OR new.`disabled` = 1) BEGIN
	DELETE FROM `links` WHERE `created_by` = new.`id` AND `used` < `uses`;
END;
--> statement-breakpoint
CREATE TRIGGER `links_address_changed` AFTER UPDATE OF `email` ON `users`
WHEN new.`email` <> old.`email` BEGIN
	DELETE FROM `links` WHERE `user_id` = new.`id` AND `email` <> '' AND `used` < `uses`;
END;
