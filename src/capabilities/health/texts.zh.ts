import { OLDEST_OPENLIST } from '../files/state.ts'
import type { healthEn } from './texts.en.ts'

export const healthZh: typeof healthEn = {
  adminSite: {
    title: '站点状态',
    lead: (site) => `${site} 的运行情况。`,
    works: '一切正常',
    fails: '有组件不正常',
    failsHint: '原因见服务日志。',
    parts: {
      d1: '数据库',
      kv: '设置缓存',
      hasher: '密码校验',
      migrations: '数据表',
      files: '文件服务器（OpenList）',
    },
    filesProblem: (part, problem) => `${part}：${problem}`,
    filesProblems: {
      not_set_up: '尚未配置好。日志会说明缺少或有误的 FILES_ 设置。',
      no_answer: '没有响应。请启动它，并核对 FILES_ORIGIN 与它的地址。',
      slow: '响应时间超过两秒。请检查其所在机器的负载。',
      no_openlist: '返回的不是 OpenList 的响应。请核对 FILES_ORIGIN 与它的地址。',
      wrong_token: '不接受 FILES_TOKEN。请把 OpenList 设置中的“令牌”复制到 FILES_TOKEN。',
      empty_token: '令牌为空，所有访客都会成为它的管理员。请在那里重置令牌，并复制到 FILES_TOKEN。',
      old: `版本低于 ${OLDEST_OPENLIST}。请升级。`,
    },
    links: {
      open: '任何人只要知道路径就能打开文件',
      refused: '文件链接会被拒绝，因为 OpenList 没有为它们签名',
    },
    signAll: '请在 OpenList 设置的“全局”页打开“签名所有”。',
    answers: (part, milliseconds) => `${part}：${milliseconds} 毫秒`,
    silent: (part) => `${part}：不正常`,
    attention: '待处理',
    waiting: (people) => `有 ${people} 人等待你的批准`,
    failing: (when) => `上一条通知未送达，${when}`,
    newEvents: '近 30 天事件（约）',
    eventsPerDay: '近 30 天每天的事件',
    busiest: (events) => `最多的一天约 ${events} 个`,
    database: '数据库大小',
    mebibytes: (size) => `${size} MiB`,
    changes: '最近变更',
    allEvents: '全部事件',
  },
}
