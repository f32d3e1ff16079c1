UPDATE `service_tokens` SET `scope` = 'sftp:keys sftp:passwords' WHERE `scope` = 'sftp';
