/** Conditions that end an identification, and those that do not: faults, lost frames, silence, a start away from home. */
import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { IS_LONG } from '../../tests/support/long.ts';
import { PlantArm, type PlantArmOptions } from '../../tests/support/plant-arm.ts';
import { unsteadyLink } from '../../tests/support/unsteady-link.ts';
import type { GuardLink } from '../guard/index.ts';
import type { FrameListener, NoticeListener } from '../guard/link/link.ts';
import { ArmKinematics, type RobotModel } from '../model/index.ts';
import type { GuardAnswer, GuardNotice, RobotState } from '../rows/index.ts';
import { ArmDrive } from './arm-drive.ts';
import type { Identification } from './evaluate.ts';
import { identifyArm } from './identify-arm.ts';
import { packIdentification, unpackIdentification } from './identify-messages.ts';
import { speedShareOf } from './joint-path.ts';
import { Approach, announcementOf, approachOf, excitationOf } from './motion-plan.ts';
import { openArm, untilMeasured, watched } from './open-arm.ts';
import { inTheWay } from './rehearsal.ts';

const { driver: _, torqueObserver: _shipped, ...robot } = arm6Setup().config.robot;
const model: RobotModel = robot;
const MOTION = { durationS: 8, filterS: 0.03, seed: 2 };

type Around = (link: GuardLink, arm: PlantArm) => GuardLink;

async function identified(
  around: Around = (link) => link,
  options: Partial<PlantArmOptions> = {},
  identifiedModel: RobotModel = model,
  isReal = false,
): Promise<Identification> {
  const arm = new PlantArm({ model, velocityFeedForward: true, ...options });
  const opened = await openArm(identifiedModel, arm);
  try {
    return await identifyArm({ ...MOTION, ...opened, isReal, link: around(opened.link, arm) });
  } finally {
    await opened.close();
  }
}

/** Loses every `every`-th frame. */
const lossy =
  (every: number): Around =>
  (link) =>
    unsteadyLink(link, (frame, hand) => {
      if (frame.tick % every !== 0) hand(frame);
    });

/** Once, at the 100th step, runs `ticks` more ticks than requested: the node was delayed. */
const stalled =
  (ticks: number): Around =>
  (link) => {
    let steps = 0;
    const { advance } = link;
    return Object.assign(
      unsteadyLink(link, (frame, hand) => hand(frame)),
      { advance: (asked: number) => advance.call(link, ++steps === 100 ? asked + ticks : asked) },
    );
  };

/** The arm in a cell with a crate whose near side is `aheadM` in front of its tool at home. */
function beside(aheadM: number): RobotModel {
  const kinematics = new ArmKinematics(model);
  kinematics.forward(model.homeRad);
  const [x, y] = kinematics.tcpPositionM as unknown as readonly [number, number];
  const crate = { name: 'crate', minM: [x + aheadM, y - 0.3, 0], maxM: [x + aheadM + 0.1, y + 0.3, 1] } as const;
  const { collision } = model;
  return { ...model, collision: { ...collision!, keepOut: [...(collision!.keepOut ?? []), crate] } };
}

const shares = (found: Identification, of: Identification): readonly number[] =>
  (['servoMaxNm', 'externalMaxNm'] as const).flatMap((key) =>
    found.observer[key].map((limit, i) => limit / of.observer[key][i]!),
  );

describe('an identification over a bad line', () => {
  it.runIf(IS_LONG)(
    'is the same with every frame twice',
    async () => {
      const doubled: Around = (link) =>
        unsteadyLink(link, (frame, hand) => {
          hand(frame);
          hand(frame);
        });
      expect(await identified(doubled)).toEqual(await identified());
    },
    60_000,
  );

  it.runIf(IS_LONG)(
    'counts the frames that it lost, and finds limits within 5 % all the same',
    async () => {
      const found = await identified(lossy(120));
      expect(found.lost).toBeGreaterThanOrEqual(5);
      const whole = await identified();
      expect(whole.lost).toBe(0);
      for (const share of shares(found, whole)) expect(Math.abs(share - 1)).toBeLessThan(0.05);
    },
    60_000,
  );

  it('is refused where more than a hundredth of the frames was lost', async () => {
    await expect(identified(lossy(50))).rejects.toThrow(/\d+ of \d+ frames of the guard were lost/);
  }, 60_000);
});

describe('an identification', () => {
  it('ends with row and remedy at any fault, in whatever frame it shows', async () => {
    let frames = 0;
    const broken: Around = (link, arm) =>
      unsteadyLink(link, (frame, hand) => {
        if (++frames === 450) {
          const read = arm.read.bind(arm);
          arm.read = (out) => {
            const status = read(out);
            out.positionRad[2] = Number.NaN;
            return status;
          };
        }
        hand(frame);
      });
    const ended = await identified(broken).catch((error: unknown) => error);
    expect(ended).toMatchObject({ kind: 'driver', remedy: expect.stringMatching(/calibration/) });
    expect(String(ended)).toMatch(/A measured joint angle is NaN or infinite \(fault 15\)/);
  }, 60_000);

  it('moves nothing where the driver reports no torque (NaN)', async () => {
    const states = new Set<string>();
    const receivesNothing: Around = (link, arm) => {
      const read = arm.read.bind(arm);
      arm.read = (out) => {
        const status = read(out);
        out.torqueNm[4] = Number.NaN;
        return status;
      };
      link.onFrame(({ state }) => states.add(state));
      return link;
    };
    await expect(identified(receivesNothing)).rejects.toThrow('measures no torque of wrist_2');
    expect([...states].filter((state) => state.startsWith('active'))).toEqual([]);
  }, 60_000);

  it.each([
    ['measures no torque', (out: RobotState): unknown => out.torqueNm.fill(0)],
    ['stamps do not advance', (out: RobotState): unknown => Object.assign(out, { measuredAtS: 5 })],
  ])(
    'does not move a real arm whose driver %s',
    async (words, change) => {
      const states = new Set<string>();
      const lame: Around = (link, arm) => {
        const read = arm.read.bind(arm);
        arm.read = (out) => {
          const status = read(out);
          change(out);
          return status;
        };
        link.onFrame(({ state }) => states.add(state));
        return link;
      };
      await expect(identified(lame, {}, model, true)).rejects.toThrow(words);
      expect([...states].filter((state) => state.startsWith('active'))).toEqual([]);
    },
    60_000,
  );

  it('moves nothing where the arm stands elsewhere than when its way was announced', async () => {
    const opened = await openArm(model, new PlantArm({ model, velocityFeedForward: true }));
    const states = new Set<string>();
    opened.link.onFrame(({ state }) => states.add(state));
    const announcedRad = model.homeRad.map((rad, i) => (i === 3 ? rad + 0.06 : rad));
    await expect(identifyArm({ ...MOTION, ...opened, announcedRad })).rejects.toThrow('its motion was announced');
    expect([...states].filter((state) => state.startsWith('active'))).toEqual([]);
    await opened.close();
  });

  it.runIf(IS_LONG)(
    'brings an arm home first, at a seventh of its speed, and says so before',
    async () => {
      const away = { ...model, homeRad: model.homeRad.map((rad, i) => (i === 2 ? rad - 0.4 : rad)) };
      let fastest = 0;
      let farthest = 0;
      let before: number | undefined;
      const seen: Around = (link) => {
        link.onFrame(({ state, referenceRad, tick }) => {
          const off = Math.abs(referenceRad[2]! - model.homeRad[2]!);
          if (state === 'active.policy' && farthest === 0) farthest = off;
          // Until it is home, 1.3 s after its standstill.
          if (state === 'active.policy' && before !== undefined && tick < 430) {
            fastest = Math.max(fastest, Math.abs(referenceRad[2]! - before) * model.controlHz);
          }
          before = referenceRad[2]!;
        });
        const pathHome = new Approach(model, link.latest.robot.positionRad);
        const lines = announcementOf(model, excitationOf({ model, ...MOTION }), pathHome).join('\n');
        expect(lines).toMatch(
          /home first, in \d+ s, .* no faster than 15 % .*: elbow 0\.40 rad; the tool up to 0\.\d\d m/,
        );
        return link;
      };
      const found = await identified(seen, { model: away });
      expect(farthest).toBeCloseTo(0.4, 2);
      expect(fastest).toBeLessThan(0.17 * model.joints[2]!.velocityMaxRadPerS);
      expect(fastest).toBeGreaterThan(0.1 * model.joints[2]!.velocityMaxRadPerS);
      for (const share of shares(found, await identified())) expect(Math.abs(share - 1)).toBeLessThan(0.3);
    },
    60_000,
  );
});

describe('a node that was held up', () => {
  it.runIf(IS_LONG)(
    'goes on where the arm is, never faster than was announced, and finds the same',
    async () => {
      const announced = speedShareOf(model, excitationOf({ model, ...MOTION }));
      let fastest = 0;
      let before: readonly number[] | undefined;
      const seen: Around = (link, arm) => {
        link.onFrame(({ referenceRad }) => {
          for (const [i, { velocityMaxRadPerS }] of model.joints.entries()) {
            const rad = Math.abs(referenceRad[i]! - (before?.[i] ?? referenceRad[i]!));
            fastest = Math.max(fastest, (rad * model.controlHz) / velocityMaxRadPerS);
          }
          before = Array.from(referenceRad);
        });
        return stalled(30)(link, arm);
      };
      const found = await identified(seen);
      expect(fastest).toBeLessThan(announced + 0.01);
      expect(fastest).toBeGreaterThan(announced / 2);
      for (const share of shares(found, await identified())) expect(Math.abs(share - 1)).toBeLessThan(0.3);
    },
    60_000,
  );
});

describe('what is in the way', () => {
  it('makes the motion smaller, so that nothing deflects the arm', () => {
    const free = excitationOf({ model, ...MOTION });
    const near = excitationOf({ model: beside(0.1), ...MOTION });
    expect(near.largestRad).toBeLessThan(0.9 * free.largestRad);
    expect(inTheWay(beside(0.1), free)).toMatch(/: crate$/);
    expect(inTheWay(beside(0.1), near)).toBeUndefined();
  });

  it('is named where it leaves no room about home, or none on the way there', () => {
    expect(() => excitationOf({ model: beside(0.01), ...MOTION })).toThrow(/no room .* \(in the way: .*: crate\)/);
    const behind = model.homeRad.map((rad, i) => (i === 0 ? rad - 0.4 : rad));
    expect(() => approachOf(beside(-0.05), behind)).toThrow(/path home is not free \(in the way: .*: crate\)/);
    expect(approachOf(model, model.homeRad).durationS).toBe(0);
  });

  it('ends it where the reference leaves its path all the same', async () => {
    const opened = await openArm(beside(0.1), new PlantArm({ model, velocityFeedForward: true }));
    try {
      // Its node knows of no crate.
      await expect(identifyArm({ ...MOTION, ...opened, model })).rejects.toThrow(/was held back from its path/);
    } finally {
      await opened.close();
    }
  }, 60_000);
});

describe('what is announced of an arm at home', () => {
  it('is how far joints and tool go, how long, and no way home', () => {
    const lines = announcementOf(model, excitationOf({ model, ...MOTION }), new Approach(model, model.homeRad)).join(
      '\n',
    );
    expect(lines).toMatch(/^arm6 will stand for 3 s with torque on, and move:\n {2}about its home pose for 8 s/);
    for (const { name } of model.joints) expect(lines).toMatch(new RegExp(`${name} 0\\.\\d\\d rad`));
    expect(lines).toMatch(/the tool up to 0\.\d\d m away, no joint faster than \d+ % of its speed limit/);
    expect(lines).not.toContain('home first');
    expect(lines).toContain('Contact with a link will not stop it');
  });

  it('has metres of a joint that slides, and says what contact does', () => {
    const joints = model.joints.map((joint, i) => (i === 0 ? { ...joint, kind: 'prismatic' as const } : joint));
    const { torqueObserver } = arm6Setup().config.robot;
    const sliding = { ...model, joints, torqueObserver };
    const lines = announcementOf(sliding, excitationOf({ model, ...MOTION }), new Approach(model, model.homeRad));
    expect(lines.join('\n')).toMatch(/shoulder_pan 0\.\d\d m, shoulder_lift 0\.\d\d rad/);
    expect(lines.join('\n')).toContain('Contact with a link stops it at twice the limits of its file');
    const { externalMaxNm } = watched(arm6Setup().config.robot).torqueObserver!;
    expect(externalMaxNm).toEqual(torqueObserver!.externalMaxNm.map((limit) => 2 * limit));
  });
});

/** A guard in real time that does only what a test commands. */
class ReportedLink implements GuardLink {
  readonly shape = { joints: 6, signals: 0, actions: 6, controlHz: 100, timing: 'real-time' } as const;
  readonly latest;
  readonly lostReason = undefined;
  answers: GuardAnswer[] = [];
  passes: () => Promise<void> = async () => undefined;
  isMute = false;
  notice: NoticeListener = () => undefined;
  asked = 0;

  constructor(link: GuardLink) {
    this.latest = link.latest;
  }

  send(): void {}
  async request(): Promise<GuardAnswer> {
    this.asked++;
    if (this.isMute) return new Promise(() => undefined);
    return this.answers.shift() ?? { ok: true };
  }
  advance(): Promise<void> {
    return this.passes();
  }
  onFrame(_: FrameListener): () => void {
    return () => undefined;
  }
  onNotice(listener: NoticeListener): () => void {
    listener({ level: 'error', row: 31, message: 'Long over.', remedy: '' });
    this.notice = listener;
    return () => undefined;
  }
  onLost(): () => void {
    return () => undefined;
  }
  async close(): Promise<void> {}
}

describe('a drive in real time', () => {
  async function reported(): Promise<{ readonly link: ReportedLink; readonly drive: ArmDrive }> {
    const opened = await openArm(model, new PlantArm({ model, velocityFeedForward: true }));
    const link = new ReportedLink(opened.link);
    await opened.close();
    return { link, drive: new ArmDrive(model, link) };
  }

  it('asks for leave to move until a person has given it, and for nothing else', async () => {
    const { link, drive } = await reported();
    const wait: GuardAnswer = { ok: false, reason: 'only a person may', needs: 'person' };
    link.answers = [wait, wait, wait];
    await drive.activate();
    expect(link.asked).toBe(4);
    link.answers = [{ ok: false, reason: 'something else is wrong' }];
    await expect(drive.activate()).rejects.toThrow('something else is wrong');
  });

  it('ends where the guard hangs, and is not lost', async () => {
    const { link, drive } = await reported();
    link.passes = () => new Promise(() => undefined);
    await expect(
      drive.stand(
        1,
        () => undefined,
        () => undefined,
      ),
    ).rejects.toThrow('No message from the guard');
  });

  it('ends where the guard answers nothing, and then asks for nothing more', async () => {
    const { link, drive } = await reported();
    link.isMute = true;
    await expect(drive.activate()).rejects.toThrow('No message from the guard');
    await drive.hold();
    expect(link.asked).toBe(1);
  });

  it('waits for a reading of the arm before anything is said of it, and not for ever', async () => {
    const { link } = await reported();
    link.latest.state = 'disconnected';
    await expect(untilMeasured(link, 20)).rejects.toThrow('it is disconnected');
    let passes = 0;
    link.passes = async () => {
      if (++passes === 3) link.latest.state = 'standby';
      link.latest.stampS = passes > 5 ? 1 : Number.NaN;
    };
    await untilMeasured(link);
    expect(passes).toBe(6);
  });

  it('ends at what the guard tells of as an error, and not at what it told before', async () => {
    const { link, drive } = await reported();
    const news: GuardNotice = { level: 'error', row: 25, message: 'The stopper is away.', remedy: 'Wait for it.' };
    let passes = 0;
    link.passes = async () => {
      if (++passes === 5) link.notice(news);
    };
    const ended = await drive
      .stand(
        1,
        () => undefined,
        () => undefined,
      )
      .catch((error: unknown) => error);
    expect(ended).toMatchObject({ remedy: 'Wait for it.' });
    expect(String(ended)).toContain('The stopper is away (fault 25).');
    expect(passes).toBe(5);
  });
});

it.runIf(IS_LONG)(
  'what was found goes from process to process to the bit, what is no number included',
  async () => {
    const found = { ...(await identified()), stepRad: [Number.POSITIVE_INFINITY, Number.NaN, -0, 1e-300] };
    expect(unpackIdentification(packIdentification(found))).toStrictEqual(found);
  },
  60_000,
);
