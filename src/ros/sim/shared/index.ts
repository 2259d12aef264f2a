export { Complaints } from './complaints.ts';
export { type Injection, parseInjection, Trouble } from './injection.ts';
export { serveManager } from './manager-services.ts';
export { keepPace, type Pace } from './pace.ts';
export { SimClock, type Stamp } from './sim-clock.ts';
