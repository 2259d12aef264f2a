export { SIM_PARAMETERS } from './parameters.ts';
export { keepPace } from './shared/index.ts';
export { Simulator } from './simulator.ts';
