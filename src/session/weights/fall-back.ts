/** What happens when the weights in use give an action that is no number: the arm holds, and earlier weights act. */
import { ReinError } from '../../core/index.ts';
import type { GuardLink } from '../../guard/index.ts';
import type { OnnxPolicy } from '../../policy/index.ts';

/** Whether anything is left that can act, and one sentence for people. */
export interface FallBack {
  readonly canAct: boolean;
  readonly sentence: string;
}

/**
 * Asks the guard to hold and goes back to the weights before. `error` is what the policy said; any other trouble than the
 * policy's is thrown again.
 */
export async function fallBack(
  link: Pick<GuardLink, 'request'>,
  policy: Pick<OnnxPolicy, 'version' | 'rollback'>,
  error: unknown,
): Promise<FallBack> {
  if (!(error instanceof ReinError) || error.kind !== 'policy') throw error;
  await link.request({ kind: 'hold' });
  const given = policy.version;
  const back = policy.rollback();
  const sentence = back.ok
    ? `${error.message} Policy ${given} is given up, policy ${back.value} acts again.`
    : `${error.message} Policy ${given} is given up, and there is none before it: the arm holds.`;
  return { canAct: back.ok, sentence };
}
