/** What others ask of the node: services and actions, and why they may be refused. */
export { offerActions } from './actions.ts';
export { Evaluate, Mark, RunEpisode, SavePolicy, Trigger } from './interfaces.ts';
export type { Permission } from './refusals.ts';
export { offerServices } from './services.ts';
