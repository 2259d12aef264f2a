import { describe, expect, it } from 'vitest';
import { err, ok, ReinError } from '../../model/index.ts';
import type { GuardRequest } from '../../rows/index.ts';
import { fallBack } from './policy-use.ts';

function guard() {
  const asked: string[] = [];
  const request = async ({ kind }: GuardRequest) => {
    asked.push(kind);
    return { ok: true } as const;
  };
  return { asked, request };
}
const notFinite = new ReinError('policy', 'The policy gave an action that is not finite.');

describe('weights that give nothing usable', () => {
  it('make the arm hold and the weights before act', async () => {
    const { asked, request } = guard();
    const order: string[] = [];
    const policy = {
      version: 9,
      rollback: () => {
        order.push(...asked);
        return ok(8);
      },
    };
    const { canAct, message } = await fallBack({ request }, policy, notFinite);
    expect(canAct).toBe(true);
    expect(message).toBe('The policy gave an action that is not finite. Policy 9 is given up, policy 8 acts again.');
    expect(order).toEqual(['hold']);
  });

  it('leave the arm holding where there are none before', async () => {
    const { asked, request } = guard();
    const policy = { version: 1, rollback: () => err(new ReinError('policy', 'none')) };
    expect(await fallBack({ request }, policy, notFinite)).toMatchObject({ canAct: false });
    expect(asked).toEqual(['hold']);
  });

  it('do not hide other trouble', async () => {
    const { asked, request } = guard();
    const policy = { version: 1, rollback: () => ok(1) };
    for (const other of [new TypeError('a mistake'), new ReinError('link', 'The guard cannot be reached.')]) {
      await expect(fallBack({ request }, policy, other)).rejects.toBe(other);
    }
    expect(asked).toEqual([]);
  });
});
