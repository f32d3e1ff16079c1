import type { PropsWithChildren } from 'hono/jsx'
import { CardPage, type CardPageProps } from '../../../web/kit/frames.tsx'
import { StartOver } from './fields.tsx'

interface StepPageProps extends CardPageProps {
  /** The page after the sign-in (`next.ts`). */
  next: string
}

/** A further step of a sign-in, with the link that begins it again. */
export function StepPage({ next, children, ...props }: PropsWithChildren<StepPageProps>) {
  return (
    <CardPage {...props}>
      {children}
      <StartOver view={props.view} next={next} />
    </CardPage>
  )
}
