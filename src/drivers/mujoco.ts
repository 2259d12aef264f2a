/** The drivers of simulated robots. Loads MuJoCo's WebAssembly. */
export { MujocoDriver } from './mujoco/mujoco-driver.ts';
export { PlantDriver } from './mujoco/plant-driver.ts';
