import type { undoEn } from './texts.en.ts'

/** The texts of `undoEn`, in Chinese. */
export const undoZh: typeof undoEn = {
  undo: {
    undo: '撤销',
    title: '撤销删除',
    lead: (name) => `将恢复“${name}”，与删除前相同。`,
    ends: (when) => `${when}失效。`,
    stays: '已结束的会话和应用已有的访问权限不会恢复。',
    submit: '恢复',
  },
}
