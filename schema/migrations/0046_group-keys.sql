-- Names of groups are compared by another key, which SQLite can't make of other letters than ASCII.
-- A slash marks those rows (`keyGroups`).
UPDATE `groups` SET `name_key` = '/' || `name_key` WHERE `name_key` GLOB '*[^ -~]*';
