/** MuJoCo driver kind: the arm in the peg insertion scene, or a robot from its own file in the surroundings of the task. */
import { ReinError, servosLead } from '../../model/index.ts';
import {
  type MujocoDriverOptions,
  modelSource,
  mujocoOptions,
  type PlantDriverOptions,
  placedModel,
} from '../../plant/index.ts';
import type { DriverKind } from '../driver-kind.ts';
import { type MujocoConfig, mujocoSchema } from './options.ts';

export const mujocoKind: DriverKind<MujocoConfig, MujocoDriverOptions | PlantDriverOptions> = {
  kind: 'mujoco',
  schema: mujocoSchema,
  options: mujocoOptions,
  movesNothing: true,
  world: ({ scene }) => (scene === undefined ? 'empty' : 'scene'),
  problems: ({ scene, model }) => {
    if ((scene === undefined) !== (model === undefined)) return [];
    const both = scene === undefined ? 'neither' : 'both';
    return [
      `driver has ${both} of scene and model, the simulator needs one: a scene that includes the robot, or the robot's own file`,
    ];
  },
  model: modelSource,
  withPaths: ({ model, packages, ...config }, from) => ({
    ...config,
    ...placedModel({ model, packages }, from),
  }),
  optionsOf: ({ model, packages }, { robot, task, signalNames, scene, surroundings }) => {
    if (model === undefined) {
      if (!servosLead(robot)) {
        throw new ReinError('config', `The scene's servos use velocity feed-forward; those of ${robot.name} do not.`, {
          remedy: 'Write velocityFeedForward: true below tank of its file, or simulate it from its own `model`.',
        });
      }
      const jointNames = robot.joints.map(({ name }) => name);
      return { jointNames, signalNames, periodS: 1 / robot.controlHz, scene: scene() };
    }
    const velocityFeedForward = servosLead(robot);
    const file = { file: model, velocityFeedForward, ...(packages !== undefined && { packages }) };
    if (surroundings !== undefined) return { ...file, signalNames: [...signalNames], surroundings };
    if (signalNames.length === 0) return { ...file, signalNames: [] };
    throw new ReinError(
      'config',
      `Robot ${robot.name} is simulated from its own file and gives no signals; task ${task} needs ${signalNames.join(', ')}.`,
    );
  },
  create: async (options, { model }) => new (await import('./mujoco-driver.ts')).MujocoDriver(model, options),
};
