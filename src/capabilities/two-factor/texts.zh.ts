import type { twoFactorEn } from './texts.en.ts'
import { chinese } from '../../core/base/chinese.ts'

export const twoFactorZh: typeof twoFactorEn = {
  enrolment: {
    title: '设置双重验证',
    scan: '把账户添加到身份验证器应用',
    apps: '用应用扫描图片。任何一款都可以：Aegis、2FAS、Google Authenticator、Microsoft Authenticator，或你的密码管理器。',
    qr: '供身份验证器应用扫描的二维码',
    onThisPhone: '应用就在本设备上？',
    byHand: '无法扫描时，请在应用中输入这个设置密钥：',
    openApp: '打开应用',
    confirm: '输入应用显示的六位数字',
    hint: '确认后，其他设备将退出登录。',
    code: '验证码',
    submit: '开启',
  },
  phone: {
    title: '换新手机',
    lead: '你的账户将改用新手机上的身份验证器应用。完成后，旧手机和旧的恢复代码失效。',
    first: '确认是你本人',
    firstCode: '输入旧手机上的验证码；旧手机已丢失时，输入一个恢复代码。',
    firstRecovered: '你刚刚用恢复代码登录，无需再输入验证码。',
    second: '用新手机扫描二维码',
    third: '保存新的恢复代码',
    submit: '继续',
    lostTitle: '手机丢了吗？',
    lost: '现在就可以设置新手机。完成后，旧手机和旧的恢复代码失效，你会得到新的恢复代码。手机还在的话，无需操作。',
    lostSubmit: '设置新手机',
    finish: '换到新手机',
    halfway: '完成此页之前，一切不变：旧手机和旧的恢复代码仍然有效。',
  },
  recovery: {
    title: '恢复代码',
    lead: '手机丢失时，每个代码可以登录一次。它们不会再次显示。',
    codes: '你的恢复代码',
    keep: '请存放在没有手机也能找到的地方，例如密码管理器，或写在纸上。',
    download: '下载',
    fileTitle: (name, site, date) => chinese`${name} 在 ${site} 的恢复代码，${date}`,
    fileHint: '每个代码可以登录一次。',
    done: '我已保存好',
  },
}
