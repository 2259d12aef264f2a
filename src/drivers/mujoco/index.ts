export { MujocoDriver, type MujocoDriverOptions } from './mujoco-driver.ts';
export { HOLE_OBJECT, type PegSceneSpec } from './peg-scene.ts';
