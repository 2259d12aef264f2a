/**
 * Compares measured values with the robot's file, row by row, and checks whether its tank can be trusted.
 *
 * With k = K/K_file and δ = d/d_file, a tank books its springs too small by k and its dampers too large by 1/δ. The
 * energy that commands really put in is then at most k·startJ + (k·β − δ)·D with the dissipation D as booked, which
 * grows without bound unless δ ≥ β·k: the share β that the tank credits has to cover the errors of both
 * (`docs/safety-case.md`, torque observer).
 */
import {
  type JointModel,
  positionUnit,
  ReinError,
  type RobotModel,
  significant,
  type TorqueObserverModel,
  torqueUnit,
} from '../model/index.ts';
import type { Identification } from './evaluate.ts';

/** One value of one joint, or of the robot. */
export interface VerdictRow {
  /** Joint, or `robot`. */
  readonly of: string;
  readonly what: string;
  readonly unit: string;
  readonly file: number | undefined;
  readonly measured: number;
  /** Half of the 95 % interval; `undefined` if not computed. */
  readonly within: number | undefined;
  readonly ok: boolean;
  /** Message for a failed row: what is wrong, and what to write instead. */
  readonly message: string;
}

/** Deviation beyond which a stiffness is that of another servo: a tank's content, the leash's force and lag depend on it. */
const STIFFNESS_SHARE = 0.1;
/** The same for damping if no tank relies on it. */
const DAMPING_SHARE = 0.25;

/** Returns all rows, joint by joint, then the robot's. */
export function judge(model: RobotModel, found: Identification): readonly VerdictRow[] {
  const rows = model.joints.flatMap((joint, i) => [
    stiffnessRow(model, joint, found, i),
    dampingRow(model, joint, found, i),
    torqueRow(joint, found, i),
    noiseRow(joint, found, i),
  ]);
  return [...rows, delayRow(model, found), leadRow(model, found)];
}

/** Message for a value that may be the file's, but is not decided by the motion: counts of a coarse encoder leave it too uncertain. */
function unsure({ controlHz }: RobotModel, { rows }: Identification, key: string, file: number, text: string): string {
  // Half of the interval takes four times as long.
  const longerS = 10 * Math.ceil((4 * rows) / controlHz / 10);
  return `${key} is ${text} by this motion, which neither confirms nor refutes the ${file} of its file: identify it for longer, --duration ${longerS}`;
}

function stiffnessRow(model: RobotModel, joint: JointModel, found: Identification, i: number): VerdictRow {
  const { value, within } = found.servo.stiffness[i]!;
  const file = joint.stiffnessNmPerRad;
  const offBy = Math.abs(value - file);
  const ok = offBy + within <= STIFFNESS_SHARE * file;
  const text = `${significant(value)} ± ${significant(within)}`;
  const wrong = `stiffnessNmPerRad of ${joint.name} is ${text}, and its file says ${file}: write ${significant(value)}, or set the servo to its file`;
  const isNear = offBy <= STIFFNESS_SHARE * file;
  const message = isNear ? unsure(model, found, `stiffnessNmPerRad of ${joint.name}`, file, text) : wrong;
  return {
    of: joint.name,
    what: 'stiffness',
    unit: `${torqueUnit(joint)}/${positionUnit(joint)}`,
    file,
    measured: value,
    within,
    ok,
    message,
  };
}

function dampingRow(model: RobotModel, joint: JointModel, found: Identification, i: number): VerdictRow {
  const { tank } = model;
  const { value, within } = found.servo.damping[i]!;
  const file = joint.dampingNmSPerRad;
  const unit = `${torqueUnit(joint)}·s/${positionUnit(joint)}`;
  const row = { of: joint.name, what: 'damping', unit, file, measured: value, within };
  const stiffness = found.servo.stiffness[i]!;
  const key = `dampingNmSPerRad of ${joint.name}`;
  const text = `${significant(value)} ± ${significant(within)}`;
  const softer = (stiffness.value + stiffness.within) / joint.stiffnessNmPerRad;
  const less = (value - within) / file;
  if (tank === undefined) {
    const offBy = Math.abs(value - file);
    const wrong = `${key} is ${text}, and its file says ${file}: write ${significant(value)}`;
    const message = offBy <= DAMPING_SHARE * file ? unsure(model, found, key, file, text) : wrong;
    return { ...row, ok: offBy + within <= DAMPING_SHARE * file, message };
  }
  const ok = less >= tank.recovery * softer;
  const fits = Math.max(0, Math.floor((100 * less) / softer - 1e-9) / 100);
  const wrong = `the tank credits ${tank.recovery} of the damping of ${joint.name}, and what is sure of it is ${significant(less / softer)}: damping ${text} for ${file} in the file, stiffness ${significant(stiffness.value)} for ${joint.stiffnessNmPerRad}; write the measured ones, or tank.recovery: ${fits}`;
  const isNear = value / file >= (tank.recovery * stiffness.value) / joint.stiffnessNmPerRad;
  return {
    ...row,
    ok,
    message: isNear ? `${unsure(model, found, key, file, text)}, or write tank.recovery: ${fits}` : wrong,
  };
}

function torqueRow(joint: JointModel, { torquePeakNm }: Identification, i: number): VerdictRow {
  const measured = torquePeakNm[i]!;
  const file = joint.torqueMaxNm;
  const message = `${joint.name} gave ${significant(measured)} ${torqueUnit(joint)}, and its file says that it saturates at ${file}: a tank would book too little; write torqueMaxNm of the servo`;
  const ok = measured <= file * (1 + 1e-6);
  return {
    of: joint.name,
    what: 'largest torque',
    unit: torqueUnit(joint),
    file,
    measured,
    within: undefined,
    ok,
    message,
  };
}

function noiseRow(joint: JointModel, found: Identification, i: number): VerdictRow {
  const measured = found.noisePeakRad[i]!;
  const file = joint.encoderNoiseRad;
  const ok = file === undefined || measured <= file;
  const message = `readings of ${joint.name} are off by up to ${significant(measured)} ${positionUnit(joint)} while it stands, and its file says ${file}: write encoderNoiseRad: ${significant(1.5 * measured)}`;
  return {
    of: joint.name,
    what: 'encoder noise',
    unit: positionUnit(joint),
    file,
    measured,
    within: undefined,
    ok,
    message,
  };
}

function delayRow({ tank }: RobotModel, { servo }: Identification): VerdictRow {
  const file = tank === undefined ? undefined : tank.delayTicks;
  const measured = servo.delayTicks;
  const ok = file === undefined || measured <= file;
  const message = `references come into force ${measured} ticks late, and the tank's file says ${file}: write tank.delayTicks: ${measured}`;
  return { of: 'robot', what: 'delay', unit: 'ticks', file, measured, within: undefined, ok, message };
}

function leadRow({ tank }: RobotModel, { servo }: Identification): VerdictRow {
  const file = tank === undefined ? undefined : Number(tank.velocityFeedForward);
  const measured = Number(servo.velocityFeedForward);
  const ok = file === undefined || measured === file;
  const message = `the servos ${measured === 1 ? 'lead' : 'do not lead'} by the reference's velocity, and the tank's file says otherwise: write tank.velocityFeedForward: ${measured === 1}`;
  return { of: 'robot', what: 'velocity feed-forward', unit: '', file, measured, within: undefined, ok, message };
}

/**
 * Returns the result as the YAML section of a robot's file: `torqueObserver:` and its contents. Throws `ReinError` if a
 * value is not finite.
 */
export function observerYaml(observer: TorqueObserverModel, joints: readonly JointModel[], command: string): string {
  const { links, servoMaxNm, externalMaxNm, ...rest } = observer;
  const numbers = [...links.flat(), ...servoMaxNm, ...externalMaxNm, rest.filterS, rest.torqueAgeS];
  if (!numbers.every(Number.isFinite)) {
    throw new ReinError(
      'driver',
      'What was measured does not determine the arm: a number of its model is not finite.',
      {
        remedy: 'Give it more room about its home pose, or a longer --duration.',
      },
    );
  }
  const scalars = (['filterS', 'weight', 'wrench', 'velocityFeedForward', 'delayTicks', 'torqueAgeS'] as const).map(
    (key) => `  ${key}: ${rest[key]}`,
  );
  return [
    `# What the joints' torques are compared with (docs/safety-case.md, torque observer). Written by`,
    `#   ${command}`,
    '# Run it again after a change of tool, load or gains.',
    'torqueObserver:',
    ...scalars,
    `  servoMaxNm: [${servoMaxNm.join(', ')}]`,
    `  externalMaxNm: [${externalMaxNm.join(', ')}]`,
    '  # mass, mass × centre x y z, inertia xx xy xz yy yz zz, rotor, viscous friction, dry friction, offset.',
    '  links:',
    ...links.map((link, i) => `    - [${link.map((value) => significant(value, 6)).join(', ')}] # ${joints[i]!.name}`),
    '',
  ].join('\n');
}
