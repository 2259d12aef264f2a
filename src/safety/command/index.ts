export { ActionMap, type MapInput } from './action-map.ts';
export { HandoverWatch } from './handover.ts';
export { Sanitizer } from './sanitize.ts';
export { StartGuard } from './start-guard.ts';
