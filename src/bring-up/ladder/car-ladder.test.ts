import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryLine } from '../../../packages/emulate/src/memory-line.ts';
import { type CarRig, carRig } from '../../../tests/support/emulated-car.ts';
import { climbRequest } from '../../../tests/support/rungs.ts';
import { loadRobotFile } from '../../config/index.ts';
import type { OpenBusPort } from '../bus-port.ts';
import { carOf } from '../car.ts';
import { requireServoArm } from '../families.ts';
import type { Guide, Meanwhile } from '../guide.ts';
import { seenOfCar } from './car-rungs.ts';
import { type ClimbRequest, climb, ladderLines, ladderRobotOf } from './climb.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-car-'));
  vi.stubEnv('REIN_STATE', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Person at the car: `act` does what a question asks for, and returns the answer. */
class CarGuide implements Guide {
  readonly said: string[] = [];
  readonly #act: (question: string) => string;

  constructor(act: (question: string) => string) {
    this.#act = act;
  }

  say(line: string): void {
    this.said.push(line);
  }

  async ask(question: string, meanwhile?: Meanwhile): Promise<string> {
    this.said.push(question);
    const answer = this.#act(question);
    meanwhile?.look();
    this.said.push(...(meanwhile?.lines() ?? []));
    return answer;
  }
}

function request(rig: CarRig, guide: Guide): ClimbRequest {
  const open: OpenBusPort = async ({ baud: hostBaud }) => {
    const line = new MemoryLine(rig.faults, { baud: rig.line.baud, hostBaud });
    return { line, adapter: '', answerS: 0.004, warning: undefined, close: async () => line.close() };
  };
  return climbRequest({
    arm: ladderRobotOf(rig.robot),
    file: 'my-car.yaml',
    guide,
    open,
    out: join(folder, 'run'),
  });
}

/** Turns the wheels by so many metres at each question, and answers from `answers`, else with Enter. */
function turning(rig: CarRig, metres: readonly number[], answers: readonly string[] = []): CarGuide {
  let asked = 0;
  return new CarGuide((question) => {
    if (!question.startsWith('Turn the driven wheels')) return '';
    rig.body.positionRad[0] = rig.body.positionRad[0]! + (metres[asked] ?? 0);
    return answers[asked++] ?? '';
  });
}

describe('the ladder of a car', () => {
  it('begins with its VESC, and then a hand that turns its wheels ahead', async () => {
    const rig = carRig();
    expect(await climb(request(rig, turning(rig, [])))).toBe('doctor');
    const guide = turning(rig, [0.02, 0.5]);
    expect(await climb(request(rig, guide))).toBe('mirror');
    expect(guide.said).toContain('  0.02 m were counted only: a motor without sensors is counted where it turns fast.');
    expect(guide.said).toContain('  counted: 0.52 m ahead');
    expect(guide.said.at(-1)).toMatch(
      /^Passed: the wheels were turned ahead by hand, and 0\.52 m ahead were counted\.$/,
    );
    expect(rig.bus.command).toEqual({ kind: 'current', value: 0 });
    expect(ladderLines(ladderRobotOf(rig.robot)).slice(-2)).toEqual([
      'Speed now: 10 % of what its file allows.',
      'Next: rein bring-up --robot race-car-vesc',
    ]);
  });

  it('is not climbed with a VESC that does not stop by itself', async () => {
    const rig = carRig({ vesc: { timeoutS: 1 } });
    await expect(climb(request(rig, turning(rig, [])))).rejects.toMatchObject({
      remedy: expect.stringContaining('set Timeout to 100 ms'),
    });
  });

  it('is not climbed where it counts backwards, with what to write', async () => {
    const rig = carRig();
    await climb(request(rig, turning(rig, [])));
    await expect(climb(request(rig, turning(rig, [-0.5])))).rejects.toMatchObject({
      message: expect.stringContaining('counts backwards'),
      remedy: expect.stringContaining('isReversed: true under driver.motor'),
    });
  });

  it('goes on where nothing is counted of a slow hand, and says so', async () => {
    const rig = carRig();
    await climb(request(rig, turning(rig, [])));
    const guide = turning(rig, [0], ['n']);
    expect(await climb(request(rig, guide))).toBe('mirror');
    expect(guide.said.at(-1)).toContain('no counts while');
  });

  it('does not drive before somebody has said that the wheels are off the ground', async () => {
    const rig = carRig();
    await climb(request(rig, turning(rig, [])));
    await climb(request(rig, turning(rig, [0.5])));
    const guide = new CarGuide(() => '');
    await expect(climb(request(rig, guide))).rejects.toThrow(/the motion was not confirmed/);
    expect(guide.said.at(-2)).toMatch(/^Its wheels turn by themselves now: .* at 10 % of its speed/);
    expect(guide.said.at(-1)).toMatch(/^Is the car raised, so that no wheel touches anything\? .* Begin\? \[y\/N\]$/);
  });

  it('asks what no VESC measures: which way the wheels turn and point; each wrong answer has what to write', async () => {
    const { robot } = carRig();
    const car = carOf(robot)!;
    const answering = (answers: readonly string[]): CarGuide => {
      let k = 0;
      return new CarGuide(() => answers[k++] ?? 'y');
    };
    expect(await seenOfCar(car, answering([]))).toMatch(/^an operator saw the wheels turn and steer the right way/);
    const wrong = [/^Write isReversed: true/, /^Write perRad: 1\.2135 /, /centre \(0\.5304\) .* 0\.5°/];
    for (const [i, remedy] of wrong.entries()) {
      const answers = [0, 1, 2].map((k) => (k === i ? 'n' : 'y'));
      await expect(seenOfCar(car, answering(answers))).rejects.toMatchObject({ remedy: expect.stringMatching(remedy) });
    }
  });

  it('is the only thing of a car: it is not calibrated, with where its numbers stand', () => {
    const { robot } = loadRobotFile('race-car-vesc');
    expect(() => requireServoArm(robot, 'calibrate')).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('driver.motor and driver.steering') }),
    );
    expect(() => ladderRobotOf(loadRobotFile('race-car').robot)).toThrow(/driven by mujoco/);
  });
});
