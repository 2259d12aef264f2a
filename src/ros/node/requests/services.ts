/** The node's services. Each is answered; what cannot be done is answered with `success: false` and a sentence. */
import type { RosPort } from '../../port/index.ts';
import {
  MARK_FAILURE,
  MARK_SUCCESS,
  Mark,
  SavePolicy,
  type SavePolicyAnswer,
  type SavePolicyRequest,
  Trigger,
  type TriggerAnswer,
} from './interfaces.ts';
import { movableSessionOf, openSessionOf, type Permission, sentenceOf } from './refusals.ts';

export interface ServicesOptions {
  readonly port: RosPort;
  readonly permission: Permission;
  /** An activity that was begun by a service failed later. */
  readonly onFailure: (error: unknown) => void;
}

export function offerServices(options: ServicesOptions): void {
  const { port, permission } = options;
  const trigger = (name: string, act: () => string | Promise<string>): void =>
    port.serve(Trigger, name, () => answer(act), failed);
  trigger('~/stop', async () => {
    await openSessionOf(permission).stop('~/stop was called');
    return 'The robot brakes and holds, until ~/reset.';
  });
  trigger('~/reset', async () => {
    const session = movableSessionOf(permission);
    if (await session.reset()) return 'The robot holds and may move again.';
    return `There was nothing to reset; ${session.state.mode === 'idle' ? 'the robot holds' : 'what goes on goes on'}.`;
  });
  trigger('~/resume', () => {
    const activity = movableSessionOf(permission).resume();
    activity.done.catch(options.onFailure);
    return 'Episode after episode, until ~/stop.';
  });
  trigger('~/start_episode', () => {
    const activity = movableSessionOf(permission).runEpisode({ purpose: 'training' });
    activity.done.catch(options.onFailure);
    return 'One episode.';
  });
  trigger('~/rollback_policy', () => `Policy ${openSessionOf(permission).rollbackPolicy()} acts.`);
  port.serve(
    Mark,
    '~/mark',
    ({ mark, note }) =>
      answer(() => {
        if (mark !== MARK_SUCCESS && mark !== MARK_FAILURE) {
          throw new RangeError(`mark is ${mark}, it must be ${MARK_SUCCESS} (success) or ${MARK_FAILURE} (failure)`);
        }
        const marked = openSessionOf(permission).mark(mark === MARK_SUCCESS ? 'success' : 'failure', note);
        if (!marked.isTaken) throw new RangeError(marked.message);
        return marked.message;
      }),
    failed,
  );
  const unsaved = (message: string): SavePolicyAnswer => ({ ...failed(message), path: '', version: 0n });
  const save = async (request: SavePolicyRequest): Promise<SavePolicyAnswer> => {
    try {
      const { path, version } = await openSessionOf(permission).savePolicy(request.path);
      return { success: true, message: `Policy ${version} is saved.`, path, version: BigInt(version) };
    } catch (error) {
      return unsaved(sentenceOf(error));
    }
  };
  port.serve(SavePolicy, '~/save_policy', save, unsaved);
}

/** Where an answer cannot be made, or does not fit: the caller shall not wait for nothing. */
function failed(message: string): TriggerAnswer {
  return { success: false, message };
}

async function answer(act: () => string | Promise<string>): Promise<TriggerAnswer> {
  try {
    return { success: true, message: await act() };
  } catch (error) {
    return failed(sentenceOf(error));
  }
}
