export { type EnvironmentCheck, NEEDED_INTERFACES, type RosEnvironment, rosEnvironment } from './environment.ts';
