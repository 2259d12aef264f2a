/** Monitor for browsers, without the pages that a run leaves behind. */
export type { Monitor, MonitorRequest } from './web/monitor.ts';
export { openNamedMonitor } from './web/named-monitor.ts';
