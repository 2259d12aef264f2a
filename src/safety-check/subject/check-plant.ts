/** What only the masses tell: whether the robot's file has the robot's joints, and its servos the strength for its limits. */

import { type Place, problemsError } from '../../config/index.ts';
import { type RobotModel, significant, torqueUnit } from '../../core/index.ts';
import type { PackageFolders, PlantImage } from '../../drivers/mujoco.ts';
import type { CheckSubject } from './subject.ts';

/** Where to point for `path` of a robot. */
export type PlaceOf = (path: readonly (string | number)[]) => Place;

/** The robot's file compiled for `model`, once for all that follows. */
export async function compileSubject(
  file: string,
  model: RobotModel,
  packages: PackageFolders | undefined,
): Promise<PlantImage> {
  const { compilePlantImage } = await import('../../drivers/mujoco.ts');
  return compilePlantImage({ file, model, packages });
}

/**
 * Opens the robot's file as it will be simulated. Throws `ReinError('config')` for a file that lacks joints, and for servos that
 * cannot give, at home, the acceleration by which the robot is said to brake.
 */
export async function checkPlant({ model, plantFile, plantImage }: CheckSubject, placeOf: PlaceOf): Promise<void> {
  if (plantFile === undefined) return;
  const { RobotPlant } = await import('../../drivers/mujoco.ts');
  const plant = await RobotPlant.open({ file: plantFile, image: plantImage, model });
  try {
    if (model.base !== undefined) return;
    const inertia = plant.inertiaKgM2();
    const problems = model.joints.flatMap((joint, i) => {
      const { name, torqueMaxNm, accelMaxRadPerS2 } = joint;
      const needNm = accelMaxRadPerS2 * inertia[i]!;
      if (needNm <= torqueMaxNm) return [];
      const message = `joint "${name}" cannot brake by accelMaxRadPerS2, ${accelMaxRadPerS2}: at home that takes ${significant(needNm)} ${torqueUnit(joint)}, and its servo has ${torqueMaxNm}`;
      return [{ place: placeOf(['joints', i, 'accelMaxRadPerS2']), message }];
    });
    if (problems.length > 0) throw problemsError(problems);
  } finally {
    plant.close();
  }
}
