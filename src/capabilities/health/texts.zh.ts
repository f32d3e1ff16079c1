import type { healthEn } from './texts.en.ts'
import { chinese } from '../../core/base/chinese.ts'

export const healthZh: typeof healthEn = {
  adminSite: {
    title: '状态',
    lead: (site) => chinese`${site} 的运行情况。`,
    works: '一切正常。',
    othersWork: '其他一切正常。',
    fails: '有组件不正常。',
    working: (parts) => (parts === '' ? '' : `正常：${parts}。`),
    failsHint: '原因见服务日志。',
    parts: {
      d1: '数据库',
      kv: '设置缓存',
      hasher: '密码校验',
      migrations: '数据库版本',
    },
    problem: (part, problem) => `${part}：${problem}`,
    silent: (part) => `${part}：不正常`,
    attention: '待处理',
    noAttention: '没有待处理的事项',
    review: '处理',
    waiting: (people) => `有 ${people} 人等待你的批准`,
    signInsByDay: '每天的登录',
    signIns: '登录',
    refused: '被拒绝',
    ofDay: (day, signIns, refused) => `${day}：登录 ${signIns} 次，被拒绝 ${refused} 次`,
    checklist: '设置此站点',
    hideChecklist: '隐藏此列表',
    steps: {
      factor: { title: '为你的账户启用双重验证', hint: '通行密钥，或验证器应用的验证码。' },
      title: { title: '为站点命名', hint: '登录时会显示这个名称。' },
      files: { title: '连接文件服务器', hint: '在运行服务的地方设置，见 `docs/files.zh-CN.md`。' },
      people: { title: '邀请用户，或迁入', hint: '`latchkey import` 可迁入 OpenList 的账户。' },
      mail: {
        title: '让站点发送邮件',
        hint: '用于邀请和忘记密码，见 `docs/people.zh-CN.md`。',
      },
      backup: {
        title: '备份',
        hint: '用 `latchkey backup` 备份，并与 `.dev.vars` 一起保存在别处。',
      },
    },
    changes: '最近变更',
    allEvents: '全部事件',
  },
}
