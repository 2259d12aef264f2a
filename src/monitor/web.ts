/** The monitor for browsers, without the pages that a run leaves behind. */
export { type Monitor, type MonitorRequest, openMonitor } from './web/monitor.ts';
