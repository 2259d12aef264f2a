export { ActionMap, type MapInput } from './action-map.ts';
export { Sanitizer } from './sanitize.ts';
export { StartGuard } from './start-guard.ts';
