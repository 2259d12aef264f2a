/** From a robot's name, or its file, to what a safety check needs. */
import { ReinError } from '../../core/index.ts';
import { loadRobotFile, type RobotFile } from '../config/index.ts';
import type { CheckSubject, SubjectOptions } from './subject.ts';

/**
 * Loads what `pathOrName` stands for: a robot of `config/robots/` by name or path; a limits YAML, which has the key `model`;
 * or an MJCF or URDF together with `options.limits`. Throws `ReinError('config')` that lists what is wrong, each with file,
 * line and column.
 */
export async function loadCheckSubject(pathOrName: string, options: SubjectOptions = {}): Promise<CheckSubject> {
  if (/\.(xml|mjcf|urdf)$/i.test(pathOrName)) {
    throw new ReinError('config', 'MJCF and URDF files cannot be checked yet');
  }
  return subjectOfRobot(loadRobotFile(pathOrName, options.from));
}

async function subjectOfRobot({ robot, shownAs }: RobotFile): Promise<CheckSubject> {
  const { driver, ...model } = robot;
  if (driver.kind !== 'mujoco') return { model, sources: [shownAs], assumed: [] };
  if (driver.model !== undefined) {
    return { model, plantFile: driver.model, sources: [driver.model, shownAs], assumed: [] };
  }
  const { bareArmXml } = await import('../../drivers/mujoco/index.ts');
  return { model, plantFile: bareArmXml(), sources: [shownAs], assumed: [] };
}
