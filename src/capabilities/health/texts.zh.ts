import type { healthEn } from './texts.en.ts'

export const healthZh: typeof healthEn = {
  adminSite: {
    title: '状态',
    lead: (site) => `${site} 的运行情况。`,
    works: '一切正常',
    fails: '有组件不正常',
    failsHint: '原因见服务日志。',
    parts: {
      d1: '数据库',
      kv: '设置缓存',
      hasher: '密码校验',
      migrations: '数据表',
    },
    problem: (part, problem) => `${part}：${problem}`,
    answers: (part, milliseconds) => `${part}：${milliseconds} 毫秒`,
    silent: (part) => `${part}：不正常`,
    attention: '待处理',
    waiting: (people) => `有 ${people} 人等待你的批准`,
    newEvents: '近 30 天事件（约）',
    eventsPerDay: '近 30 天每天的事件',
    busiest: (events) => `最多的一天约 ${events} 个`,
    database: '数据库大小',
    mebibytes: (size) => `${size} MiB`,
    changes: '最近变更',
    allEvents: '全部事件',
  },
}
