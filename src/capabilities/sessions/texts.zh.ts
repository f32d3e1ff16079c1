import type { sessionsEn } from './texts.en.ts'

export const sessionsZh: typeof sessionsEn = {
  sessions: {
    title: '登录设备',
    lead: '你在这些设备上处于登录状态。',
    current: '本设备',
    activeNow: '正在使用',
    activeLately: '一小时内活跃',
    active: (when) => `${when}活跃`,
    since: (when) => `${when}登录`,
    expires: (when) => `${when}到期`,
    end: '退出',
    endOthers: '退出其他所有设备',
    endOthersQuestion: '除本设备外，其他设备都将退出登录。应用专用密码仍然有效。',
    onlyThis: '你没有在其他地方登录。',
    browserOn: (browser, system) => `${system} 上的 ${browser}`,
    unknownBrowser: '未知应用',
    methods: {
      pwd: '密码',
      otp: '验证码',
      recovery: '恢复代码',
      passkey: '通行密钥',
      sso: '关联的账户',
      mfa: '其双重验证',
    },
    madeWith: (methods) => `使用${methods}`,
    and: '和',
    endEverything: '退出所有设备并删除应用专用密码',
    endEverythingQuestion:
      '所有设备都将退出登录，包括这一台，所有应用也不能再使用你的应用专用密码。如果其他人可能使用过你的账户，请这样做。SSH 公钥会保留，请一并检查。',
  },
}
