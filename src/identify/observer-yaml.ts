/** What `rein safety identify` found, as the piece of YAML that a robot's file takes. */
import { type JointModel, ReinError, type TorqueObserverModel } from '../core/index.ts';

/** `torqueObserver:` and what belongs below it. Throws `ReinError` where a number is not finite. */
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
    ...links.map(
      (link, i) => `    - [${link.map((value) => Number(value.toPrecision(6))).join(', ')}] # ${joints[i]!.name}`,
    ),
    '',
  ].join('\n');
}
