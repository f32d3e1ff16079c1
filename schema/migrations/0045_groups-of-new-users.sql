ALTER TABLE `links` ADD `group_ids` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
-- The list of the LDAP door has the groups and their members too.
CREATE TRIGGER `account_list_group_insert` AFTER INSERT ON `groups` BEGIN
	UPDATE `account_list` SET `version` = lower(hex(randomblob(16)));
END;
--> statement-breakpoint
CREATE TRIGGER `account_list_group_delete` AFTER DELETE ON `groups` BEGIN
	UPDATE `account_list` SET `version` = lower(hex(randomblob(16)));
END;
--> statement-breakpoint
CREATE TRIGGER `account_list_group_update` AFTER UPDATE OF `name` ON `groups`
WHEN old.`name` <> new.`name` BEGIN
	UPDATE `account_list` SET `version` = lower(hex(randomblob(16)));
END;
--> statement-breakpoint
CREATE TRIGGER `account_list_member_insert` AFTER INSERT ON `group_members` BEGIN
	UPDATE `account_list` SET `version` = lower(hex(randomblob(16)));
END;
--> statement-breakpoint
CREATE TRIGGER `account_list_member_delete` AFTER DELETE ON `group_members` BEGIN
	UPDATE `account_list` SET `version` = lower(hex(randomblob(16)));
END;
