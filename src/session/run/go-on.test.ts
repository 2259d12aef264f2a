import { describe, expect, it } from 'vitest';
import type { GuardAnswer } from '../../rows/index.ts';
import { GoOn, type GoOnRequest } from './go-on.ts';

const REFUSED: GuardAnswer = { ok: false, reason: 'it stands otherwise', needs: 'state' };

/** A guard that stands, may be stopped again at any moment, and brakes for some requests before it stands. */
class StoppedRobot {
  state: 'braking' | 'stopped' | 'standby' | 'ready' | 'moving' = 'stopped';
  readonly asked: GoOnRequest[] = [];
  brakesFor = 0;

  answer(kind: GoOnRequest): GuardAnswer {
    this.asked.push(kind);
    if (this.state === 'braking' && this.brakesFor-- <= 0) this.state = 'stopped';
    const [from, to] = {
      acknowledge: ['stopped', 'standby'],
      enable: ['standby', 'ready'],
      permit: ['ready', 'moving'],
    }[kind] as [StoppedRobot['state'], StoppedRobot['state']];
    if (this.state !== from) return REFUSED;
    this.state = to;
    return { ok: true };
  }
}

function personAt(robot: StoppedRobot) {
  const reported: string[] = [];
  const goOn = new GoOn(
    async (kind) => robot.answer(kind),
    (message) => reported.push(message),
  );
  return { goOn, reported };
}

describe('a person who lets a robot go on', () => {
  it('has it acknowledged, enabled and permitted', async () => {
    const robot = new StoppedRobot();
    const { goOn, reported } = personAt(robot);
    await goOn.begin();
    expect(robot.state).toBe('moving');
    expect(reported).toEqual([]);
  });

  it('has seen nothing yet of one that brakes, and presses again once it stands', async () => {
    const robot = new StoppedRobot();
    Object.assign(robot, { state: 'braking', brakesFor: 3 });
    const { goOn, reported } = personAt(robot);
    await goOn.begin();
    expect(robot.state).toBe('stopped');
    expect(reported).toEqual([expect.stringContaining('Press c, or Start at the page, again once it stands')]);
    await goOn.begin();
    expect(robot.state).toBe('moving');
  });

  it('may have said stop before the robot was there: then its start lets nothing move', async () => {
    const robot = new StoppedRobot();
    robot.state = 'standby';
    const { goOn, reported } = personAt(robot);
    goOn.cancel();
    await goOn.start();
    expect(robot.asked).toEqual([]);
    expect(reported).toEqual([expect.stringContaining('press c')]);
    await goOn.begin();
    expect(robot.state).toBe('moving');
    const another = personAt(robot);
    robot.state = 'standby';
    await another.goOn.start();
    expect(robot.state).toBe('moving');
  });

  it('and says stop meanwhile stands, whenever that is', async () => {
    for (let after = 1; after <= 3; after++) {
      const robot = new StoppedRobot();
      const { goOn, reported } = personAt(robot);
      const begun = goOn.begin();
      while (robot.asked.length < after) await Promise.race([begun, new Promise((resolve) => setImmediate(resolve))]);
      robot.state = 'stopped';
      goOn.cancel();
      const { length } = robot.asked;
      await begun;
      expect(robot.state).toBe('stopped');
      expect(robot.asked).toHaveLength(length);
      expect(reported).toEqual([]);
    }
  });

  it('acknowledges what they have seen, and no stop that comes after it', async () => {
    const robot = new StoppedRobot();
    const { goOn, reported } = personAt(robot);
    const begun = goOn.begin();
    while (robot.state !== 'standby') await new Promise((resolve) => setImmediate(resolve));
    robot.state = 'stopped';
    await begun;
    expect(robot.state).toBe('stopped');
    expect(robot.asked.filter((kind) => kind === 'acknowledge')).toHaveLength(1);
    expect(reported).toHaveLength(1);
  });

  it('says it once where they say it again and again, as a key that is held down does', async () => {
    const robot = new StoppedRobot();
    const { goOn } = personAt(robot);
    await Promise.all([goOn.begin(), goOn.begin(), goOn.begin()]);
    expect(robot.state).toBe('moving');
    expect(robot.asked.filter((kind) => kind === 'enable').length).toBeLessThanOrEqual(2);
  });
});
