/** Node that only keeps a guard busy: an inference and a command every step, and optionally continuous weight swaps. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connectGuardLink, createActionCommand, type GuardLink } from '../../src/guard/index.ts';
import { ReinError, SystemClock } from '../../src/model/index.ts';
import { PolicyExercise } from '../policy/policy-bench.ts';

/** Work of a node besides moving the robot. */
export type BenchWork = 'nothing' | 'swap weights';

export interface BenchNodeResult {
  readonly steps: number;
  /** Weights that were put into use. */
  readonly swaps: number;
}

const LEASE_S = 1;
const CONNECT_MS = 10_000;
const WAIT_S = 0.2;
const MAX_TRIES = 50;

/** Drives the guard at `socketPath` for `seconds`, at least for one step and one swap. Rejects with `ReinError` if the link fails. */
export async function driveGuard(
  socketPath: string,
  policyPeriodS: number,
  seconds: number,
  work: BenchWork,
): Promise<BenchNodeResult> {
  const link = await connectGuardLink(socketPath, { timeoutMs: CONNECT_MS });
  const exercise = await PolicyExercise.start(link.shape.actions);
  const clock = new SystemClock();
  const endS = clock.nowS() + seconds;
  const isOn = (): boolean => clock.nowS() < endS;
  try {
    const swapping = work === 'swap weights' ? swapWhile(isOn, exercise) : Promise.resolve(0);
    const [steps, swaps] = await Promise.all([stepWhile(isOn, link, exercise, policyPeriodS), swapping]);
    return { steps, swaps };
  } finally {
    await exercise.close();
    await link.close();
  }
}

async function stepWhile(
  isOn: () => boolean,
  link: GuardLink,
  exercise: PolicyExercise,
  policyPeriodS: number,
): Promise<number> {
  const clock = new SystemClock();
  const command = createActionCommand(link.shape.actions);
  command.decider = 'policy';
  command.leaseS = LEASE_S;
  const ticksPerStep = Math.max(1, Math.round(policyPeriodS * link.shape.controlHz));
  let steps = 0;
  await link.advance(1);
  // At least once: on a busy machine the connection may take all of a short phase.
  do {
    await getMoving(link);
    await exercise.decide();
    command.seq = steps;
    command.issuedAtS = clock.nowS();
    // Back and forth, so that all stages have work at any position of the arm.
    for (let i = 0; i < command.action.length; i++) command.action[i] = Math.sin(steps + i) + exercise.action[i]!;
    link.send(command);
    await link.advance(ticksPerStep);
    steps++;
  } while (isOn());
  return steps;
}

/** Requests permission to move if there is none: on a busy machine leases expire, and the arm then stands. */
export async function getMoving(link: GuardLink): Promise<void> {
  const { state } = link.latest;
  if (state === 'active.policy' || state === 'stopping') return;
  if (state === 'stopped' || state === 'fault') {
    await acknowledge(link);
  }
  if (state !== 'ready') await link.request({ kind: 'enable' });
  await link.advance(1);
  await link.request({ kind: 'activate' });
}

/** Acknowledges faults once their cause is gone; waits for a robot that was held up. */
async function acknowledge(link: GuardLink): Promise<void> {
  for (let tries = 1; ; tries++) {
    const answer = await link.request({ kind: 'acknowledge' });
    await link.advance(Math.ceil(link.shape.controlHz * WAIT_S));
    if (answer.ok) return;
    if (tries === MAX_TRIES) {
      throw new ReinError('driver', `The guard of the measurement has a fault: ${answer.reason}`);
    }
  }
}

async function swapWhile(isOn: () => boolean, exercise: PolicyExercise): Promise<number> {
  let swaps = 0;
  do {
    await exercise.swap();
    await nextTurn();
    swaps++;
  } while (isOn());
  return swaps;
}
