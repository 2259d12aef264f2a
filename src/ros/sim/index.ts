export { SIM_PARAMETERS } from './parameters.ts';
export { runSim, type SimProgram } from './run-sim.ts';
export { keepPace, type Pace } from './shared/index.ts';
export { Simulator } from './simulator.ts';
