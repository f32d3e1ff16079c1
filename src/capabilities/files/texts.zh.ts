import { OLDEST_OPENLIST } from './state.ts'
import type { filesEn } from './texts.en.ts'

export const filesZh: typeof filesEn = {
  files: {
    open: '打开你的文件',
    openHint: '在网页客户端中打开，无需再次登录。',
    manage: '管理文件',
    setThere: '列表、搜索、预览和搜索引擎在文件服务器中设置。',
    again: '重试',
    arrivalTitle: '正在登录',
    arrivalFailed: '无法登录',
    arrivalScript: '此页面需要 JavaScript。',
    server: '文件服务器（OpenList）',
    problems: {
      not_set_up: '尚未配置好。日志会说明缺少或有误的 FILES_ 设置。',
      no_answer: '没有响应。请启动它，并核对 FILES_ORIGIN 与它的地址。',
      slow: '响应时间超过两秒。请检查其所在机器的负载。',
      no_openlist: '返回的不是 OpenList 的响应。请核对 FILES_ORIGIN 与它的地址。',
      wrong_token:
        '不接受 FILES_TOKEN。请把 OpenList 设置中的“令牌”复制到 FILES_TOKEN。设置了 OPENLIST_DATA 的容器会在重启时重新读取。',
      empty_token: '令牌为空，所有访客都会成为它的管理员。请在那里重置令牌，并复制到 FILES_TOKEN。',
      old: `版本低于 ${OLDEST_OPENLIST}。请升级。`,
    },
    links: {
      open: '任何人只要知道路径就能打开文件',
      refused: '文件链接会被拒绝，因为 OpenList 没有为它们签名',
    },
    signAll: '请在 OpenList 设置的“全局”页打开“签名所有”。',
  },
}
