/**
 * The Chinese texts of `--help`, by the English ones. A test finds an English text that has none
 * (test/cli/help.test.ts).
 */
export const ZH: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Global Options:': '通用选项：',
  'Commands:': '命令：',
  'Permissions:': '权限：',
  'Example:': '示例：',
  'Examples:': '示例：',
  choices: '可选值',
  default: '默认',
  'display help for command': '显示帮助',
  'output the version number': '显示版本号',
  'work on the deployed site, through remote bindings': '操作已部署的站点（通过远程绑定）',
  'print JSON, for programs': '输出 JSON，供程序使用',
  'Manages a Latchkey site from the command line.': '在命令行中管理 Latchkey 站点。',

  'manages accounts: who may sign in, and what they may do': '管理账户：谁可以登录、可以做什么',
  "a user name, or '#7' for the user with the id 7": "用户名，或用 '#7' 表示 id 为 7 的用户",
  'the number of rows to show': '显示的行数',
  'the number of the page, from 1': '页码，从 1 开始',
  'lists users; several conditions together narrow the list': '列出用户；可以同时使用多个条件',
  'only users whose name contains this, in upper or lower case':
    '只列出名称包含此文字的用户，不区分大小写',
  'only admins': '只列出管理员',
  'only disabled users': '只列出已停用的用户',
  'only users without a second factor: authenticator app or passkey':
    '只列出没有第二验证因素（验证器应用或通行密钥）的用户',
  'shows all data of a user': '显示用户的全部资料',
  'creates a user': '新建用户',
  'the user name': '用户名',
  'the role of the user': '用户的角色',
  'the names of all permissions, or +name and -name to add and to remove some; also all, none':
    '全部权限的名称；或用 +名称、-名称 增加、去除个别权限；也可以是 all（全部）、none（无）',
  'the names of all permissions, or +name and -name to add and to remove some; also all, none (default: none)':
    '全部权限的名称；或用 +名称、-名称 增加、去除个别权限；也可以是 all（全部）、none（无）；默认无权限',
  'the folder that is the root for the user': '用户的根文件夹',
  'the id of the user at the single sign-on provider': '用户在单点登录服务中的 id',
  'read the password from the first line of the standard input': '从标准输入的第一行读取密码',
  'generate a random password and print it, only once': '生成随机密码，只显示一次',
  'create the user without a password; the user can not sign in yet': '不设密码，用户暂时无法登录',
  'create the user disabled; the user can not sign in until enabled':
    '新建后先停用，启用之前用户无法登录',
  'changes fields of a user': '修改用户的资料',
  'a new user name': '新的用户名',
  'sets a new password, and ends all sessions of the user': '设置新密码，并退出该用户的所有设备',
  'also delete the SSH keys of the user': '同时删除该用户的 SSH 公钥',
  "Without an option, the command asks for the password and does not show it. What still works with a\nnew password is listed: passkeys, linked accounts, app passwords, the user's channel for notices and\nSSH keys. On a terminal the command asks whether to delete the SSH keys.":
    '不带选项时，命令会询问密码，输入时不显示。命令会列出更换密码后仍然有效的内容：\n通行密钥、关联的第三方账户、应用专用密码、该用户的通知渠道和 SSH 公钥。\n在终端中还会询问是否删除 SSH 公钥。',
  'disables a user, and ends all sessions of the user': '停用用户，并退出该用户的所有设备',
  'enables a user who was disabled': '重新启用已停用的用户',
  'forgets the failed sign-ins of a user, so that the user can try again at once':
    '解除锁定：清除用户的登录失败记录，用户可以立即重试',
  'A network with failed sign-ins to many accounts stays blocked for its five minutes.':
    '如果同一网络对许多账户登录失败，该网络仍会被锁定五分钟。',
  'deletes a user with all keys and sessions; this can not be undone':
    '删除用户及其所有公钥和登录设备，无法恢复',
  'do not ask': '不再询问',

  'manages two-step verification': '管理两步验证',
  'switches it off for a user who has lost the phone, and ends all sessions of the user':
    '为丢失手机的用户取消两步验证，并退出该用户的所有设备',

  'A passkey is a second factor too. On a terminal the command asks whether to delete the passkeys of the\nuser; elsewhere it keeps them without --passkeys.':
    '通行密钥也是第二验证因素。在终端中，命令会询问是否同时删除该用户的通行密钥；\n在其他环境中，不带 --passkeys 时会保留。',
  'also delete the passkeys of the user': '同时删除该用户的通行密钥',

  'tests single sign-on with an identity provider': '测试与登录平台的单点登录',
  'asks the identity provider whether it can be used': '查询登录平台是否可用',
  'the address of the site, for the redirect URIs to register':
    '站点的地址，用于显示要登记的回调地址',
  'It asks the provider with the stored settings, also while single sign-on is off, and signs nobody in: whether\nit answers, and whether it accepts the client ID and the client secret. Some providers do not tell the latter.':
    '用已保存的设置查询登录平台，单点登录关闭时也可以，不会登录：它是否有响应，\n是否接受客户端 ID 和客户端密钥。有些平台不会透露后者。',
  'Secrets are left out: setting set sso_client_secret --stdin sets one.':
    '不包含密钥：用 setting set sso_client_secret --stdin 设置。',
  'lists and deletes the passkeys of users': '列出、删除用户的通行密钥',
  'lists the passkeys of a user': '列出用户的通行密钥',
  'deletes a passkey of a user, who can no longer sign in with it':
    '删除用户的一个通行密钥，之后不能再用它登录',
  'the id of the passkey, as passkey list shows it, or its beginning':
    '通行密钥的 id（见 passkey list），或 id 的开头部分',
  'Sessions that were begun with the passkey stay: session end ends them.':
    '用该通行密钥登录的设备不会退出，可用 session end 退出。',

  'lists and unlinks the accounts of users at identity providers':
    '列出、取消用户在登录平台上的关联账户',
  'lists the accounts at identity providers that a user is linked with':
    '列出用户在登录平台上的关联账户',
  'unlinks an account of a user, who can no longer sign in with it':
    '取消用户的一个关联账户，之后不能再用它登录',
  'the id at the provider, as identity list shows it': '登录平台上的 id（见 identity list）',
  'the provider, when two have the same id for the user': '登录平台（两个平台上的 id 相同时需要）',
  'The command asks before it unlinks the only way in of a user, who then can not sign in until user password\nsets a password. Sessions that were begun with the account stay: session end ends them.':
    '取消用户唯一的登录方式之前，命令会先询问；之后该用户无法登录，直到用 user password 设置密码。\n用该账户登录的设备不会退出，可用 session end 退出。',

  'lists and ends the sessions of users': '列出、退出用户的登录设备',
  'lists the sessions of a user, the latest first': '列出用户的登录设备，最近的在前',
  'ends sessions of a user, or of all users': '退出某个用户或所有用户的登录设备',
  'only the session with this id, which session list shows':
    '只退出此 id 的设备（见 session list）',
  'everything: all sessions of the user, and all app passwords':
    '全部：退出该用户的所有设备，并删除其应用专用密码',
  'all sessions of all users, for example after a backup was restored':
    '退出所有用户的所有设备，例如在恢复备份之后',

  'lists, adds and deletes the SSH keys of users': '列出、添加、删除用户的 SSH 公钥',
  'lists the keys of a user': '列出用户的公钥',
  'adds a key to a user': '为用户添加公钥',
  'a file with a public key; - reads the standard input': '公钥文件；- 表示标准输入',
  'the name of the key in lists': '公钥的标题',
  'The file holds one key: a .pub file of ssh-keygen, or a public key of PuTTYgen or in PEM. Without --title,\nthe title is the comment of the key, or else the name of the file.':
    '文件中只有一个公钥：ssh-keygen 的 .pub 文件、PuTTYgen 的公钥或 PEM 格式的公钥。\n不带 --title 时，标题是公钥的注释；没有注释时是文件名。',
  'deletes a key of a user; new connections with it are refused':
    '删除用户的公钥，此后不能再用它建立新连接',
  'the id of the key, as key list shows it': '公钥的 id（见 key list）',

  'shows and changes the settings of the site: title, appearance, features':
    '查看、修改站点设置：标题、外观、功能',
  'lists all settings': '列出所有设置',
  'only settings that differ from their defaults': '只列出与默认值不同的设置',
  'prints the value of a setting': '显示设置的值',
  'as setting list shows it': '见 setting list',
  'as setting list shows them': '见 setting list',
  'sets a setting to a value': '修改设置',
  'the value; put -- before it when it starts with a hyphen': '值；以连字符开头时在前面加 --',
  'read the value from the standard input': '从标准输入读取值',
  'resets settings to their defaults': '将设置恢复为默认值',
  'all settings': '所有设置',
  'prints the settings as JSON, for setting import': '以 JSON 输出设置，供 setting import 使用',
  'include settings with their default value': '包括取默认值的设置',
  'sets the settings in a file, all or none of them; the others stay unchanged':
    '应用文件中的设置，全部成功或全部不变；其余设置不变',
  'JSON from setting export; without it, the standard input is read':
    'setting export 输出的 JSON；省略时读取标准输入',

  'manages app passwords, with which programs of users sign in':
    '管理应用专用密码，供用户的程序登录',
  'lists the app passwords of a user; the passwords themselves are not stored':
    '列出用户的应用专用密码；密码本身不会保存',
  'those of all users that never expire, or that nobody used for 180 days':
    '所有用户中永不过期或 180 天未使用的应用专用密码',
  'creates an app password and prints it, only once': '新建应用专用密码，只显示一次',
  'a name, such as the program': '名称，例如程序名',
  'files:read, files:write, account:read, account:write or admin; can be repeated':
    'files:read、files:write、account:read、account:write 或 admin；可以写多次',
  'when it ends: 90d, or never (default: 365d)': '何时到期：90d，或 never（默认：365d）',
  'the id that token list shows': '编号（见 token list）',
  'deletes an app password of a user; it stops working at once': '删除用户的应用专用密码，立即失效',
  'says what a server learns about a token: reads an app password or the token of a session from standard input':
    '显示服务器能得知的令牌信息：从标准输入读取应用专用密码或登录令牌',

  'manages the tokens with which servers ask about users': '管理服务器查询用户所用的令牌',
  'creates a service token and prints it, only once': '新建服务令牌，只显示一次',
  'a name for the token, such as the host name of the server': '令牌的名称，例如服务器的主机名',
  'sftp:keys to ask for keys, sftp:passwords to check passwords, sftp for both, introspect to ask whether a token is good, ldap for an LDAP door; can be repeated (default: sftp)':
    'sftp:keys 查询公钥，sftp:passwords 验证密码，sftp 两者，introspect 查询令牌是否有效，ldap 用于 LDAP 程序；可以写多次（默认：sftp）',
  'lists service tokens with their scopes; the tokens themselves are not stored':
    '列出服务令牌及其权限；令牌本身不会保存',
  'deletes a service token; it stops working at once': '删除服务令牌，立即失效',
  'the name that service-token list shows': '令牌的名称（见 service-token list）',

  'manages the programs that sign users in through this site (OpenID Connect)':
    '管理通过本站登录的程序（OpenID Connect）',
  'a name that users recognise': '用户认得的名称',
  'registers a program, and prints its settings, only once': '注册程序，并显示其设置，只显示一次',
  'the address of an OpenList': 'OpenList 的地址',
  'the address of an SFTPGo web client': 'SFTPGo 网页端的地址',
  'the address of a Grafana': 'Grafana 的地址',
  'the name of a Cloudflare Access team': 'Cloudflare Access 团队的名称',
  'a redirect address; can be repeated': '回调地址；可以写多次',
  'an address after the sign-out; can be repeated': '退出后的地址；可以写多次',
  'the address for back-channel logouts': '后端退出通知的地址',
  'the program can not keep a secret, so it needs PKCE': '程序无法保存密钥，因此需要 PKCE',
  'users are not asked for their consent': '不询问用户是否同意',
  'only admins may sign in to it': '只有管理员可以登录',
  'the address of this site, for the printed settings': '本站的地址，用于显示的设置',
  'The settings that are printed contain the secret, which is not stored. --openlist and the other programs\nknow their addresses; other programs need --redirect.':
    '显示的设置中含有密钥，密钥不会保存。--openlist 等程序的回调地址是已知的，其他程序需要 --redirect。',
  'lists the programs that sign users in through this site': '列出通过本站登录的程序',
  'shows a program; its secret is not stored': '显示程序；密钥不会保存',
  'deletes a program; its tokens end at once': '删除程序，它的令牌立即失效',
  'makes a new secret for a program and prints it; the old one ends at once':
    '为程序生成新密钥并显示，旧密钥立即失效',
  'the name or the client_id that client list shows': '名称或 client_id（见 client list）',
  'manages the keys that sign ID tokens of programs': '管理签署 ID 令牌的密钥',
  'lists the public keys that programs read': '列出程序读取的公钥',
  'makes a new signing key, which signs after a quarter of an hour':
    '生成新的签名密钥，15 分钟后开始用于签名',
  'sign with it as soon as every place shows it, because the old key is lost':
    '旧密钥丢失时，各处都公布新密钥后即用它签署',
  'sign with it at once, and delete all older keys': '立即用它签署，并删除所有旧密钥',
  'Programs read the new key before it signs. The old key is shown for a day, until its last token has ended.\n--stolen: a thief can sign as this site until the old key is gone. Programs refuse its ID tokens as soon\nas they read the keys again. On Cloudflare every place shows the new key set after two minutes.\nWhile a new key waits, the command asks before it makes another one.':
    '新密钥先公布，再开始签署。旧密钥再公布一天，直到它的最后一个令牌失效。\n--stolen：在旧密钥删除之前，持有它的人可以冒充本站签署。程序重新读取密钥后，就会拒绝它签署的 ID 令牌。\n在 Cloudflare 上，两分钟后各处都公布新的密钥。\n已有新密钥等待启用时，再次生成前会先询问。',
  'manages the names that accounts had, which nobody else may get':
    '管理保留的用户名，其他人不能使用',
  'lists the names that deleted and renamed accounts had': '列出已删除或已改名账户的用户名',
  'Programs know users by their names. While a program is registered, nobody else gets the name of a deleted\nor renamed account until it is released.':
    '程序通过用户名识别用户。只要注册了程序，已删除或已改名账户的用户名在释放之前，其他人不能使用。',
  'the name that reserved-name list shows': '用户名（见 reserved-name list）',
  'the database of this site that a backup has replaced': '被备份替换的本站数据库',
  'reserves the names of an old database that no account has here':
    '保留旧数据库中本站没有账户使用的用户名',
  'A restore takes the site back, but not its programs: they still know accounts that were made since.\nThe database of before the restore says which; of a deployed site, wrangler d1 export and sqlite3 make one.':
    '恢复备份会让本站回到从前，但程序不会：它们仍然认识此后创建的账户。\n恢复之前的数据库里有这些账户；已部署的站点用 wrangler d1 export 和 sqlite3 生成数据库。',
  'lets any account get a name that another account had': '允许任何账户使用曾属于其他账户的用户名',

  'lists and exports events': '列出和导出事件',
  'writes all events to the standard output, oldest first, in pages':
    '把全部事件写到标准输出，最早的在前，逐页读取',
  'one JSON object a line, or a table for spreadsheets': '每行一个 JSON 对象，或电子表格用的表格',
  'prints everything that is kept of a user, as JSON': '以 JSON 输出保存的关于一个用户的全部内容',
  'Hashes of passwords, codes and tokens, public keys of passkeys, and what is sealed (seeds, addresses of\nchannels) are left out: nobody can read anything in them. What an operator did to others is in their events.\nFiles are at the file server, not here. Backups hold what they held when they were made.':
    '密码、代码和令牌的哈希、通行密钥的公钥以及加密的内容（种子、渠道的地址）不会导出：没有人能从中读出任何内容。\n管理员对他人的操作在他人的事件中。文件在文件服务器上，不在这里。备份保留其创建时的内容。',
  'manages where notices are sent: ntfy, Slack, e-mail and others':
    '管理通知的接收方：ntfy、Slack、电子邮件等',
  'lists the channels that notices are sent to': '列出接收通知的渠道',
  'the id that notice list shows': 'notice list 显示的 id',
  'adds a channel; of a webhook, it prints the secret that signs, only once':
    '添加渠道；对于 webhook，签名密钥只显示一次',
  'how you recognise the channel': '便于认出此渠道的名称',
  'where to send: a URL, or the recipient of e-mails': '发送到哪里：URL，或电子邮件的收件人',
  'the token of a Telegram bot, or an access token of ntfy':
    'Telegram 机器人的令牌，或 ntfy 的访问令牌',
  'the chat of Telegram: a number, or @name': 'Telegram 的聊天：编号，或 @名称',
  'the sender of e-mails': '电子邮件的发件人',
  'what it is told; can be repeated (default: all of new_network, new_country, locked_out, second_factor_off, new_admin, password, credential_added, passkey_cloned, access_replayed, program_registered, many_refusals)':
    '通知哪些事情；可以重复（默认全部：new_network、new_country、locked_out、second_factor_off、new_admin、password、credential_added、passkey_cloned、access_replayed、program_registered、many_refusals）',
  'the language of the notices': '通知的语言',
  'where the site answers, for links: https://accounts.example.org':
    '站点的地址，用于链接：https://accounts.example.org',
  'Other users of this machine can see options of a command. With -, the address or the token is\nread from the first line of the standard input.':
    '本机的其他用户可以看到命令的选项。使用 - 时，从标准输入的第一行读取地址或令牌。',
  'With + or - before each topic, the others stay as they are. all chooses every topic.':
    '主题前加 + 或 - 时，其他主题不变。all 表示全部主题。',
  'chooses what a channel is told': '选择通知此渠道哪些事情',
  'sends a test to a channel, and says whether it arrived': '向渠道发送测试，并说明是否送达',
  'The site sends the test, not this command: a deployed site within five minutes, a local one\nwhile npm start serves it. The command waits for that.':
    '测试由站点发送，而不是此命令：已部署的站点在五分钟内发送，本地站点在 npm start 运行时发送。\n命令会等待结果。',
  'deletes a channel, with the notices that wait for it': '删除渠道及等待发送的通知',
  'webhook, ntfy, slack, discord, telegram, bark, email':
    'webhook、ntfy、slack、discord、telegram、bark、email',
  'new_network, new_country, locked_out, second_factor_off, new_admin, password, credential_added, passkey_cloned, access_replayed, program_registered, many_refusals':
    'new_network、new_country、locked_out、second_factor_off、new_admin、password、credential_added、passkey_cloned、access_replayed、program_registered、many_refusals',
  'lists events, the latest first': '列出事件，最近的在前',
  "only events of this user, who may be deleted: a user name, or '#7' for the user with the id 7":
    "只列出此用户的事件，也可以是已删除的用户：用户名，或用 '#7' 表示 id 为 7 的用户",
  'restores although there is no .dev.vars here': '即使这里没有 .dev.vars 也恢复',
  'only events of this kind': '只列出此类事件',
  'only events since then: 30m, 12h, 7d, or a time such as 2026-11-21':
    '只列出此后的事件：30m、12h、7d，或 2026-11-21 这样的时间',
  'then show each new event as it is written, until Ctrl-C; oldest first':
    '随后持续显示新事件，直到按下 Ctrl-C；最早的在前',

  'checks everything that a site needs; says how to fix what is wrong':
    '检查站点所需的一切，并说明如何修复',
  'The exit code is 1 when a check fails; a warning alone gives 0.':
    '有检查未通过时退出码为 1；只有警告时为 0。',
  'rebuilds the KV copy of the settings when it differs': '设置在 KV 中的副本不一致时重新生成',
  'the address of the deployed site, for the check of plain http':
    '已部署站点的地址，用于检查未加密的 http',

  'checks the file server behind the site (OpenList), and links users to its users':
    '检查站点后面的文件服务器（OpenList），并把用户与其中的用户关联',
  'lists which user of OpenList each user is': '列出每个用户对应 OpenList 中的哪个用户',
  'checks OpenList: address, token, settings, users': '检查 OpenList：地址、令牌、设置、用户',
  'makes a user be a user that OpenList has already': '把用户与 OpenList 中已有的用户关联',
  'ends a link; the user at OpenList stays, and the next request makes another':
    '取消关联；OpenList 中的用户保留，下次请求时会另建一个',
  'the address of OpenList, when FILES_ORIGIN is not set':
    'OpenList 的地址，在未设置 FILES_ORIGIN 时使用',
  'the id of the user at OpenList': '用户在 OpenList 中的 id',
  'The exit code is 1 when a check fails; a warning alone gives 0. Nothing is changed.':
    '有检查失败时退出码为 1，只有警告时为 0。不会更改任何内容。',
  "From then on the user here is the user there, with name, rights and folder of the user here: the shares\nand what metas allow stay. Nobody is linked by name alone, because the same name may be somebody else's.":
    '此后这里的用户就是那里的用户，名称、权限和文件夹以这里为准；分享和元信息中的授权保留。\n不会仅凭名称关联，因为同名者可能是别人。',

  'copies all data of the local site into one file; the site may be running':
    '将本地站点的全部数据备份到一个文件，站点可以正在运行',
  'the file to write; it must not exist yet': '要写入的文件，不能已经存在',
  'The site may be running. The copy holds accounts, keys, sessions, events and settings, but not\nSECRET_KEYS: keep .dev.vars as well, in another place. An existing file is never overwritten.':
    '站点可以正在运行。备份包含账户、公钥、登录设备、事件和设置，但不包含 SECRET_KEYS：\n请把 .dev.vars 另外保存在别处。已有的文件不会被覆盖。',
  'creates a local site from a backup': '用备份恢复本地站点',
  'a file that the command backup wrote': '命令 backup 写入的文件',
  'Run this in a folder without a site, after you have put .dev.vars with its SECRET_KEYS there. npm start\nupgrades a backup of an older version. Other SECRET_KEYS than those of the backed-up site are refused. With\n--without-secret, channels of notices can not be opened, and users with two-step verification need a recovery code.':
    '请在没有站点的文件夹中运行，并事先放入带有原 SECRET_KEYS 的 .dev.vars。\n旧版本的备份会由 npm start 升级。与原站点不同的 SECRET_KEYS 会被拒绝。使用 --without-secret 时，通知渠道无法打开，\n使用两步验证的用户需要恢复代码。',

  'imports a site from OpenList, AList, OpenList-Worker or Latchkey: a database, or a backup in JSON':
    '从 OpenList、AList、OpenList-Worker 或 Latchkey 导入：数据库或 JSON 备份',
  'only show what would happen': '只显示将会发生什么，不写入',
  'data.db, a database of OpenList-Worker or Latchkey, or a file saved by Backup & Restore of the web client':
    'data.db、OpenList-Worker 或 Latchkey 的数据库，或网页端“备份与恢复”保存的文件',
  'the .dev.vars of the old site, if its database is encrypted':
    '原站点的 .dev.vars，用于加密的数据库',
  'the host name under which the old site was visited, for its passkeys (default: that of its site_url)':
    '访问原站点所用的主机名，用于其中的通行密钥（默认取自原站点的 site_url）',
  'Imports users with ids, roles, permissions, base paths, passwords, 2FA, SSH keys and passkeys, and the\npublic settings. Users who exist here stay unchanged, so a second run does no harm; users without password,\nsessions and keys here get them. The exit code is 1 when something was refused; everything else is\nthen imported.':
    '导入用户的 id、角色、权限、根文件夹、密码、两步验证、SSH 公钥和通行密钥，以及公开设置。\n这里已有的用户保持不变，因此可以重复运行；在这里没有密码、登录设备和公钥的用户会得到补全。\n有内容被拒绝时退出码为 1，其余内容仍会导入。',

  'answers LDAP for programs that ask it who a user is': '回答向 LDAP 查询用户的程序',
  'the address of the site; https, or http on this machine': '站点的地址：https，本机可用 http',
  'a file with the service token (scope ldap); else LATCHKEY_SERVICE_TOKEN':
    '存有服务令牌（范围 ldap）的文件；否则读 LATCHKEY_SERVICE_TOKEN',
  'an address to listen on (ldap://127.0.0.1:3890); can be repeated':
    '监听的地址（ldap://127.0.0.1:3890）；可以写多次',
  'the certificate for ldaps:// (PEM)': 'ldaps:// 的证书（PEM）',
  'its key (PEM)': '证书的私钥（PEM）',
  'allow ldap:// on an address that other machines reach': '允许在其他机器可达的地址上使用 ldap://',
  'the base of the tree (from the host of the site)': '目录树的 base（由站点的主机名得出）',
  'what app passwords must allow: files:write (default) or files:read':
    '应用专用密码必须具有的范围：files:write（默认）或 files:read',
  'take no passwords of accounts': '不接受账户密码',
  'let admins exist here': '让管理员在这里存在',
  'how long answers are remembered, 0 to 300 (30)': '答复记住多少秒，0 到 300（30）',
  'how long they count while the site is away, 0 to 3600 (300)':
    '站点无法访问时它们有效多少秒，0 到 3600（300）',
  'print base, bind DN and bind password, and end': '输出 base、bind DN 和 bind password，然后结束',

  'prints a script with which bash, zsh or fish completes commands':
    '输出 bash、zsh 或 fish 的命令补全脚本',
  'the shell': '使用的 shell',
  'The script completes the words of latchkey, and makes latchkey a short form of npm run -s latchkey --. To\nhave it in every shell, add the line of yours to ~/.bashrc, ~/.zshrc (after compinit) or\n~/.config/fish/config.fish. Files that you name are looked for in the folder of the site.':
    '脚本补全 latchkey 之后的词，并使 latchkey 成为 npm run -s latchkey -- 的简写。要在每个终端中使用，\n请把对应的一行加入 ~/.bashrc、~/.zshrc（在 compinit 之后）或 ~/.config/fish/config.fish。指定的文件从站点的文件夹中查找。',
}
