import { PassThrough } from 'node:stream';
import { type ActionSpec, type ObservationSpec, observationSize } from '../../src/model/index.ts';
import {
  JOY_PADS,
  JoyTeleop,
  KeyboardTeleop,
  mappingOf,
  OperatorArbiter,
  PegInserter,
  ScriptedOperator,
  TwistTeleop,
} from '../../src/teleop/index.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { LeaderArm } from '../support/leader-arm.ts';
import { describeTeleop, type TeleopSubject } from './teleop.contract.ts';

const action: ActionSpec = {
  kind: 'joint',
  dimensions: Array.from({ length: 6 }, (_, i) => ({ name: `joint${i}`, scale: 0.02, unit: 'rad' as const })),
};

function keyboard(): TeleopSubject {
  const input = new PassThrough();
  const type = async (keys: string): Promise<void> => {
    input.write(keys);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    source: new KeyboardTeleop({ input, clock: new FakeClock(), action }),
    actionSize: 6,
    observationSize: 3,
    takeOver: () => type('t'),
    move: () => type(']w'),
  };
}

function deskOf(subject: TeleopSubject): TeleopSubject {
  return { ...subject, source: new OperatorArbiter([subject.source], subject.actionSize) };
}

const observation: ObservationSpec = {
  frames: 2,
  fields: Object.entries({ hole_offset: 3, yaw_offset: 1, force: 3, torque: 3 }).map(([name, size]) => ({
    name,
    size,
    unit: '1',
    frame: 'base',
  })),
};

function scripted(): TeleopSubject {
  const hand = new PegInserter({
    observation,
    action: {
      kind: 'cartesian',
      dimensions: [
        { name: 'x', scale: 0.002, unit: 'm' },
        { name: 'y', scale: 0.002, unit: 'm' },
        { name: 'z', scale: 0.002, unit: 'm' },
        { name: 'yaw', scale: 0.02, unit: 'rad' },
      ],
    },
    spiralPitchM: 0.0005,
    searchStepM: 0.001,
    searchRadiusM: 0.004,
    tremor: 0.3,
    seed: 1,
  });
  const rule = { initialRate: 1, finalRate: 1, halvingSteps: 100, stuckSteps: 25, handBackSteps: 15 };
  const source = new ScriptedOperator(hand, rule, observation, 2);
  const out = { active: false, action: new Float32Array(4), phase: 'correct' as const };
  return {
    source,
    actionSize: 4,
    observationSize: observationSize(observation),
    takeOver: () => {
      while (!out.active) source.poll(new Float32Array(observationSize(observation)), 0, out);
    },
    move: () => undefined,
  };
}

function joy(): TeleopSubject {
  const clock = new FakeClock();
  const source = new JoyTeleop({ action, mapping: mappingOf(JOY_PADS.xbox, action), clock });
  const send = (isHeld: 0 | 1, push: number): void => {
    clock.advanceMs(20);
    const message = { axes: new Float32Array(8).fill(push), buttons: new Int32Array(11) };
    message.buttons[4] = isHeld;
    source.onJoy(message, clock.nowS());
  };
  return {
    source,
    actionSize: 6,
    observationSize: 3,
    takeOver: () => {
      send(0, 0);
      send(1, 0);
    },
    move: () => send(1, 3),
  };
}

function twist(): TeleopSubject {
  const clock = new FakeClock();
  const tool: ActionSpec = { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.01, unit: 'm' }] };
  const source = new TwistTeleop({ action: tool, policyPeriodS: 0.1, clock });
  const send = (speed: number): void => {
    clock.advanceMs(20);
    const message = { linear: { x: speed, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } };
    source.onTwist(message, clock.nowS(), clock.nowS(), clock.nowS());
  };
  return { source, actionSize: 1, observationSize: 3, takeOver: () => send(0), move: () => send(1e6) };
}

function leader(): TeleopSubject {
  const source = new LeaderArm([3, -2, 1, 0, 2, 5]);
  return {
    source,
    actionSize: 6,
    observationSize: 3,
    takeOver: () => {
      source.takeOver();
      source.clutch('closed');
    },
    move: () => {
      source.pose[1]! += 0.05;
    },
    jump: () => {
      source.clutch('open');
      source.pose.fill(-1);
      source.clutch('closed');
    },
  };
}

describeTeleop('keyboard', keyboard);
describeTeleop('joystick', joy);
describeTeleop('sender of twists', twist);
describeTeleop('scripted operator', scripted);
describeTeleop('leader arm', leader);
describeTeleop('desk of operators', () => deskOf(keyboard()));
describeTeleop('desk of a leader arm', () => deskOf(leader()));
