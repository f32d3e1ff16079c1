import type { filesEn } from './texts.en.ts'

export const filesZh: typeof filesEn = {
  files: {
    open: '打开你的文件',
    openHint: '在网页客户端中打开，无需再次登录。',
    manage: '管理文件',
    again: '重试',
    arrivalTitle: '正在登录',
    arrivalFailed: '无法登录',
    arrivalScript: '此页面需要 JavaScript。',
  },
}
