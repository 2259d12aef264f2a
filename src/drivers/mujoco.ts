/** Driver of simulated robots. Loads MuJoCo's WebAssembly. */
export { MujocoDriver } from './mujoco/mujoco-driver.ts';
