/**
 * The node of an identification as a program: the file of its settings as an argument, a channel to the process that
 * started it. It requests motion from the guard as any node does; the permission to move comes from elsewhere. Ends on
 * SIGTERM, and when its parent is gone; Ctrl+C is handled by the parent.
 */
import { readFileSync } from 'node:fs';
import { connectGuardLink, type GuardLink } from '../guard/index.ts';
import { endFailed, openParentChannel, type ParentChannel } from '../host/index.ts';
import type { Excitation } from './excitation.ts';
import { identifyArm } from './identify-arm.ts';
import { type IdentifyNodeConfig, type IdentifyNodeMessage, packIdentification } from './identify-messages.ts';
import { announcementOf, approachOf, excitationOf } from './motion-plan.ts';
import { readySimulated, untilMeasured } from './open-arm.ts';

/** Period of progress reports, ms. */
const PROGRESS_MS = 200;
const PRESS_C = 'Stand clear with the emergency stop at hand. c lets it move, space stops it, Ctrl+C ends.';

type Parent = ParentChannel<IdentifyNodeMessage>;

main().catch(endFailed);

async function main(): Promise<void> {
  const config = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as IdentifyNodeConfig;
  const parent: Parent = openParentChannel();
  const link = await connectGuardLink(config.socketPath);
  try {
    const announced = await announce(config, link, parent);
    const how = { isReal: config.arm === 'real', signal: parent.ending, onProgress: progress(parent) };
    const found = await identifyArm({ ...config, ...announced, ...how, link });
    await parent.send({ kind: 'found', packed: packIdentification(found) });
  } catch (error) {
    if (!parent.ending.aborted) throw error;
  } finally {
    await link.close();
  }
  parent.close();
}

/** Announces what will move, and from where; for a simulated arm, also switches torque on. */
async function announce(
  config: IdentifyNodeConfig,
  link: GuardLink,
  parent: Parent,
): Promise<{ readonly announcedRad: readonly number[]; readonly excitation: Excitation }> {
  const { model, arm } = config;
  const excitation = excitationOf(config);
  await untilMeasured(link);
  if (arm !== 'real') await readySimulated(link, model, arm === 'resettable' ? 'resettable' : 'asItIs');
  const announcedRad = Array.from(link.latest.robot.positionRad);
  const lines = announcementOf(model, excitation, approachOf(model, announcedRad));
  await parent.send({ kind: 'announced', lines: arm === 'real' ? [...lines, PRESS_C] : lines });
  return { announcedRad, excitation };
}

function progress(parent: Parent): (passedS: number, wholeS: number) => void {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (passedS, wholeS) => {
    const nowMs = performance.now();
    if (nowMs - reportedAtMs < PROGRESS_MS) return;
    reportedAtMs = nowMs;
    void parent.send({ kind: 'progress', passedS, wholeS });
  };
}
