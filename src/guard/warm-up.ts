/** Lets the compiler finish with the tick before the tick has a robot: compiling it takes milliseconds, several times. */
import type { ActionCommand, Clock } from '../core/index.ts';
import { MockDriver } from '../drivers/index.ts';
import { Guard } from './guard.ts';
import type { GuardConfig } from './guard-config.ts';
import { copyActionCommand, createActionCommand } from './link/frames.ts';
import type { GuardPort } from './link/link.ts';
import { Lateness, runAtDeadlines } from './scheduler.ts';

/** Enough for the last compiler tier, in states that stand and in states that move. */
const WARM_UP_TICKS = 6000;
const STANDING_TICKS = 1500;
const TICKS_PER_COMMAND = 10;
const WARM_UP_PERIOD_S = 20e-6;

/** Runs the whole tick of this robot for half a second, moving a mock of it. Touches no hardware. */
export async function warmUp(
  { model, action, policyPeriodS }: Pick<GuardConfig, 'model' | 'action' | 'policyPeriodS'>,
  clock: Clock,
): Promise<void> {
  const driver = new MockDriver(model);
  await driver.open();
  const command = createActionCommand(action.dimensions.length);
  command.decider = 'policy';
  command.leaseS = 1;
  const port: GuardPort = {
    latestCommand: (out: ActionCommand): boolean => {
      if (out.seq === command.seq) return false;
      copyActionCommand(out, command);
      return true;
    },
    publish: () => undefined,
  };
  const guard = new Guard({ driver, model, action, policyPeriodS, clock, port });
  let ticks = 0;
  runAtDeadlines({
    periodS: WARM_UP_PERIOD_S,
    clock,
    lateness: new Lateness(),
    tick: () => guard.tick(),
    shouldGoOn: () => {
      ticks++;
      if (ticks > STANDING_TICKS && ticks % TICKS_PER_COMMAND === 0) {
        command.seq++;
        command.issuedAtS = clock.nowS();
        for (let i = 0; i < command.action.length; i++) command.action[i] = Math.sin(ticks + i);
        // Asked for each time: whatever stops this robot in a corner of its workspace, the next command moves it again.
        guard.handle({ kind: 'enable' });
        guard.handle({ kind: 'activate' });
      }
      return ticks < WARM_UP_TICKS;
    },
  });
  await guard.close();
}
