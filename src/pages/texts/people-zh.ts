import type { adminInvitationsEn, peopleNoticesEn } from './people-en.ts'

export const adminInvitationsZh: typeof adminInvitationsEn = {
  title: '邀请',
  lead: '对方通过链接自行创建账户。',
  add: '新建邀请',
  none: '没有邀请',
  noneHint: '邀请就是一个链接。对方打开链接，设置密码，就有了账户。',
  unnamed: (id) => `邀请 ${id}`,
  states: { live: '有效', used: '已用完', ended: '已失效' },
  used: (used, uses) => `已使用 ${used}/${uses} 次`,
  ends: (when) => `${when}失效`,
  ended: (when) => `${when}已失效`,
  made: (when) => `${when}创建`,
  madeBy: (name) => `创建者：${name}`,
  forName: (name) => `用户名：${name}`,
  mailedTo: (address) => `已寄往 ${address}`,
  withdraw: '撤回',
  withdrawQuestion: (name) => `“${name}”将无法再使用。已经创建的账户不受影响。`,
  newer: '较新',
  older: '较早',
  page: (page, pages) => `第 ${page}/${pages} 页`,

  note: '备注',
  noteHint: '只有管理员能看到，也会记入每个账户的注册事件。',
  email: '寄往邮箱',
  emailHint: '站点把链接寄到此地址，账户的邮箱即为已确认。留空则由你自行转交链接。',
  username: '用户名',
  usernameHint: '留空则由对方选择。',
  uses: '可创建的账户数',
  endsAt: '链接失效日期',
  endsAtHint: '当天 0:00（UTC）失效。留空则在 7 天后失效。',
  basePathHint: '{username} 会换成用户名，例如 /homes/{username}。',
  accountEndsAt: '账户到期日期',
  accountEndsAtHint: '当天 0:00（UTC）到期。留空则永不到期。',
  accountDays: '或在多少天后到期',
  create: '创建邀请',

  madeTitle: '邀请链接',
  madeLead: '链接不会再次显示。请通过可信的方式转交。',
  madeLabel: '链接',
  madeEnds: (when) => `链接${when}失效。`,
  madeDone: '我已转交',
}

export const peopleNoticesZh: typeof peopleNoticesEn = {
  'invitation-mailed': '邀请已寄出。',
  'invitation-withdrawn': '邀请已撤回。',
}
