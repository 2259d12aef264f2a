/** What starts the node: settings, help, supervisor. */
export type { NodeChildConfig, NodeChildMessage } from './child-config.ts';
export { nodeHelp } from './help.ts';
export { JOINT_STATES_RATE, NODE_PARAMETERS } from './parameters.ts';
export { runNode } from './run-node.ts';
export { declarationsOf, NODE_NAME, type NodeSettings, resolveSettings } from './settings.ts';
