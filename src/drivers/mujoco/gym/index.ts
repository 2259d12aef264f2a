export { createDemonstrator, createOverseer } from './actors.ts';
export { type Demonstration, type Demonstrator, demonstrate, type Overseer } from './demonstrator.ts';
export { INSERT_BASE } from './insert/index.ts';
export type { OptionValues } from './options.ts';
export { createEnvironment, ENVIRONMENT_NAMES, type EnvironmentName } from './registry.ts';
